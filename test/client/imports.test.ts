import { expect } from 'chai';
import { clientSources } from '../support/sources.js';

/** The imports of these files that are wrong. */
const importsOf = (files: typeof clientSources, isWrong: (target: string) => boolean): string[] =>
  files.flatMap(({ path, imports }) => imports.filter(isWrong).map((target) => `${path} -> ${target}`));

describe('the imports of the client', () => {
  /** What a browser loads: everything but the command line and what stores files. */
  const forBrowsers = clientSources.filter(({ path }) => !/\/cli\/|\/node\.ts$|\/file-journal\.ts$/.test(path));

  it('imports nothing of the service', () => {
    expect(importsOf(clientSources, (target) => /^(src\/|\.\.)/.test(target))).to.deep.equal([]);
  });

  it('needs no package and no Node.js outside the command line, the journal file and the entry for Apollo Client', () => {
    const wrong = importsOf(forBrowsers, (target) => !target.startsWith('client/src/'));
    expect(wrong).to.deep.equal(['', '/utilities'].map((module) => `client/src/apollo.ts -> @apollo/client${module}`));
    const node = forBrowsers.filter(({ text }) => /\b(process|Buffer|NodeJS)\.\w/.test(text)).map(({ path }) => path);
    expect(node).to.deep.equal([]);
  });

  it('leaves the environment, the streams and the exit of the process to the program file', () => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    const wrong = clientSources.filter(({ text }) =>
      /\bprocess\.(?!(?:pid|getBuiltinModule)\b)|node:process/.test(code(text)),
    );
    expect(wrong.map(({ path }) => path)).to.deep.equal([]);
  });

  it('does not load the command line from the library', () => {
    const library = clientSources.filter(({ path }) => !path.includes('/cli/'));
    expect(importsOf(library, (target) => target.includes('/cli/'))).to.deep.equal([]);
  });
});
