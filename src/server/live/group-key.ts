import { Kind, visit } from 'graphql';
import type { Operation } from '../graphql/apollo.js';
import type { Watch } from './watch.js';

/**
 * Subscribers with the same key get the same answers: they send the same document and variables, watch the same events, and
 * have the same viewer. The key leaves out the variable for `after` if the document uses it only there.
 */
export function groupKey(
  { document, documentHash, node, operationName, variableValues }: Operation,
  watch: Watch,
  viewer: string | null,
): string {
  const uses = new Map<string, number>();
  const afterVariables = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
    // Lists below this field have an argument `after`, too. Only the argument of the subscription itself counts.
    Field: ({ name, arguments: args = [] }) => {
      const after = name.value === watch.field.name && args.find((argument) => argument.name.value === 'after')?.value;
      if (after && after.kind === Kind.VARIABLE) afterVariables.add(after.name.value);
    },
  });
  const declared = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const relevant = declared.filter((name) => !(afterVariables.has(name) && uses.get(name) === 1));
  // An omitted variable takes its default value, but null does not, so the key distinguishes them.
  const values = relevant.map((name) => (Object.hasOwn(variableValues, name) ? [name, variableValues[name]] : [name]));
  return JSON.stringify([documentHash, operationName, values, watch.field.name, watch.agent, viewer]);
}
