import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { root } from '../test/support/service/process.js';
import { clientSources, demoSources, filesUnder, sources, unitTests, webSources } from './sources.js';

const allSources = [...sources, ...demoSources, ...clientSources, ...webSources];
const testFiles = ['test', 'lint'].flatMap((folder) => filesUnder(join(root, folder))).map((file) => relative(root, file));

/** Whether the value of a constant is state: code writes to a weak collection, and a cache or a queue changes when it is used. */
const isStateful = (value: string): boolean =>
  /^new (WeakMap|WeakSet|Cache)\b|^(coalescingQueue|serialQueue|statementNames)\(/.test(value);

/** Whether the code assigns to a member of the constant, or calls a method that changes it. */
const isWritten = (code: string, name: string): boolean =>
  new RegExp(
    `(?<![.\\w])${name}(\\.(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse)\\(|(\\.\\w+|\\[[^\\]]+\\])+ *(=(?![=>])|[-+*/|&?]+=|\\+\\+|--))`,
  ).test(code);

/** The position behind the closing bracket of the literal that begins at `start`. */
function endOfLiteral(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if ('[{('.includes(text[i] as string)) depth++;
    else if (']})'.includes(text[i] as string) && --depth === 0) return i + 1;
  }
  return text.length;
}

describe('the law of form', () => {
  it('lets the clock of a client multiply all its timeouts', () => {
    const wrong = clientSources.flatMap(({ path, text }) =>
      [...text.matchAll(/AbortSignal\.timeout\((?!timeoutOf\(|this\.#limits\.)/g)].map(() => path),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('keeps every function under 61 lines', () => {
    // Biome indents the closing brace of a function like the line that opens it, so the end is found by the indentation.
    const opens = /(\bfunction\b.*|=>|^\s*((async|static|get|set|public|private)\s+)*[#\w]+(<.*>)?\(.*\)(: .+)?|^\s*\)(: .+)?) \{$/;
    const isBlock = /^\s*(\} )?(if|for|while|switch|else|try|catch|finally|do)\b/;
    const long = allSources.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, start) => {
        if (!opens.test(line) || isBlock.test(line)) return [];
        const indent = /^ */.exec(line)?.[0] ?? '';
        const length = lines.slice(start).findIndex((later, i) => i > 0 && later.startsWith(`${indent}}`)) + 1;
        return length > 60 ? [`${path}:${start + 1}: ${length}`] : [];
      });
    });
    expect(long).to.deep.equal([]);
  });

  // A spread literal in JSX (`{...{ agent }}`) is allowed: JSX has no other short form for `agent={agent}`.
  it('allows no spread of a literal, whose values can be written out', () => {
    const tested = testFiles.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    const wrong = [...allSources, ...tested].flatMap(({ path, text }) =>
      [...text.matchAll(/(?<!\{)\.\.\.(?=[[{])/g)]
        .filter(({ index }) => /^\s*[,)\]}]/.test(text.slice(endOfLiteral(text, index + 3))))
        .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('keeps mutable state out of modules', () => {
    const wrong = allSources.flatMap(({ path, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const variables = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map((match) => match[1]);
      const constants = [...code.matchAll(/^(?:export )?const (\w+)[^=]*= *(.*)/gm)]
        .filter(([, name, value]) => isStateful(value ?? '') || isWritten(code, name ?? ''))
        .map((match) => match[1]);
      return [...variables, ...constants].map((name) => `${path}: ${name}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('keeps every file under 300 lines', () => {
    const generated = ['src/chain/abi.ts', 'src/chain/bytecode.ts'];
    // The dashboard has all its texts in this one file, which may be longer.
    const exempt = [...generated, 'web/src/texts.ts'];
    const long = [...allSources.map(({ path }) => path), ...testFiles]
      .filter((path) => !exempt.includes(path))
      .filter((path) => readFileSync(join(root, path), 'utf8').split('\n').length > 301);
    expect(long).to.deep.equal([]);
  });

  it('lets only one file of src/ export a name, and no import rename it', () => {
    // Every part of the GraphQL schema exports these names.
    const ofEveryPart = ['resolvers', 'readers', 'orphanedTypes'];
    const exported = sources.flatMap(({ path, text }) => {
      const names = text.matchAll(/^export (?:async )?(?:abstract )?(?:const|let|enum|function\*?|class|type|interface) (\w+)/gm);
      // A table and the type of its rows may have the same name in a file, so each name counts once per file.
      return [...new Set(Array.from(names, ([, name = '']) => name))].map((name) => ({ name, path }));
    });
    const twice = [...Map.groupBy(exported, ({ name }) => name)].filter(
      ([name, places]) => places.length > 1 && !ofEveryPart.includes(name),
    );
    expect(twice.map(([name, places]) => `${name}: ${places.map(({ path }) => path)}`)).to.deep.equal([]);
    const renamed = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^import [^;*]*?;/gms)].flatMap(([line]) =>
        [...line.matchAll(/\w+ as \w+/g)].map(([names]) => `${path}: ${names}`),
      ),
    );
    expect(renamed.sort()).to.deep.equal([
      // These names of libraries have another meaning in the file that imports them.
      'src/server/graphql/types/object-types.ts: Args as TakesArgs',
      'src/server/mcp/schemas.ts: Tool as SdkTool',
    ]);
  });

  it('demands kebab-case in the name of every file', () => {
    const names = [...allSources.map(({ path }) => path), ...testFiles];
    const kebabCase = /^[a-z0-9-]+(\.(test|fixture|faults|abuse|drill|d))?\.tsx?$/;
    expect(names.filter((path) => !kebabCase.test(basename(path)))).to.deep.equal([]);
  });

  it('keeps at most 6 files in the root of src/, and at most 14 features', () => {
    const inRoot = sources.filter(({ path }) => dirname(path) === 'src').map(({ path }) => path);
    const features = sources.flatMap(({ path }) => /^src\/features\/([\w-]+)\//.exec(path)?.[1] ?? []);
    expect(inRoot).to.have.length.of.at.most(6);
    expect([...new Set(features)]).to.have.length.within(1, 14);
  });

  it('keeps each test in a folder that says when it runs', () => {
    const tests = testFiles.filter((path) => /\.(test|faults|abuse|drill)\.ts$/.test(path));
    const folder = /^test\/((unit|service|ci|ci-servers)\/.*\.test\.ts|nightly\/.*)$/;
    expect(tests.filter((path) => !folder.test(path))).to.deep.equal([]);
  });

  it('keeps the database and the chain out of unit tests', () => {
    const parts = ['world', 'database', 'store', 'chain/chain'].map((name) => `test/support/${name}.ts`);
    expect(unitTests.map(({ path }) => path).filter((path) => parts.includes(path))).to.deep.equal([]);
    expect(unitTests.length).to.be.above(50);
  });

  it('keeps at most 15 files in a directory', () => {
    const counts = Map.groupBy([...allSources.map(({ path }) => path), ...testFiles], dirname);
    const full = [...counts].filter(([, files]) => files.length > 15);
    expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([]);
  });
});
