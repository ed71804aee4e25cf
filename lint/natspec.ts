import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import solc from 'solc';

type Parameters = { readonly parameters: readonly { readonly name: string }[] };
type Node = {
  readonly nodeType: string;
  readonly name?: string;
  readonly kind?: string;
  readonly documentation?: { readonly text: string } | null;
  readonly parameters?: Parameters;
  readonly returnParameters?: Parameters;
  readonly nodes?: readonly Node[];
};

const DOCUMENTED = ['FunctionDefinition', 'ModifierDefinition', 'EventDefinition', 'ErrorDefinition'];

/** The functions, modifiers, events and errors of a source, which is parsed without its imports. */
function definitionsIn(content: string): Node[] {
  const settings = { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } };
  const output = solc.compile(JSON.stringify({ language: 'Solidity', sources: { a: { content } }, settings }));
  const root = (JSON.parse(output) as { sources: { a: { ast: Node } } }).sources.a.ast;
  const contracts = (root.nodes ?? []).flatMap((node) => node.nodes ?? []);
  return contracts.filter(({ nodeType }) => DOCUMENTED.includes(nodeType));
}

/** The tags that the NatSpec comment of a definition lacks. */
function missing({ documentation, parameters, returnParameters }: Node): string[] {
  const text = documentation?.text ?? '';
  if (/@inheritdoc \w+/.test(text)) return [];
  const named = [...text.matchAll(/@param (\w+) \S/g)].map(([, name]) => name);
  const returns = [...text.matchAll(/@return \S/g)].length;
  const names = (parameters?.parameters ?? []).map(({ name }) => name);
  return [
    ...(/@(?:notice|dev) \S/.test(text) ? [] : ['@notice or @dev']),
    ...names.filter((name) => !named.includes(name)).map((name) => `@param ${name}`),
    ...(returns === (returnParameters?.parameters.length ?? 0) ? [] : ['@return']),
  ];
}

describe('the NatSpec of the contract', () => {
  for (const file of readdirSync('contracts').filter((name) => name.endsWith('.sol'))) {
    it(`describes every definition, parameter and return value in ${file}`, () => {
      const definitions = definitionsIn(readFileSync(`contracts/${file}`, 'utf8'));
      expect(definitions).to.have.length.above(0);
      const gaps = definitions.flatMap((node) => missing(node).map((gap) => `${node.name || node.kind}: ${gap}`));
      expect(gaps).to.deep.equal([]);
    });
  }
});
