import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../test/support/service/process.js';
import { clientSources } from './sources.js';

/** Lists the wrong imports of these files, as file -> target. */
const importsOf = (files: typeof clientSources, isWrong: (target: string) => boolean): string[] =>
  files.flatMap(({ path, imports }) => imports.filter(isWrong).map((target) => `${path} -> ${target}`));

describe('the client', () => {
  /** The files that a browser loads: all but the command line and what stores files. */
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
    // Comments may name what code must not use. The journal in a file needs the process id, and looks for SQLite.
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    const wrong = clientSources.filter(({ text }) => /\bprocess\.(?!(?:pid|getBuiltinModule)\b)|node:process/.test(code(text)));
    expect(wrong.map(({ path }) => path)).to.deep.equal([]);
  });

  it('has a README that names every package that npm installs with it, or that it can use', () => {
    const read = (name: string) => readFileSync(join(root, 'client', name), 'utf8');
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(read('package.json'));
    const [, paragraph = ''] = /\n(`npm install curvet-client` installs [\s\S]*?)\n\n/.exec(read('README.md')) ?? [];
    const [installed = '', others = ''] = paragraph.split('It never installs');
    const names = (text: string) => [...text.matchAll(/`((?:@[\w-]+\/)?[a-z-]+)`/g)].map(([, name]) => name);
    expect(names(installed)).to.include.members(Object.keys({ ...dependencies, ...optionalDependencies }));
    expect(names(others)).to.have.members(Object.keys(peerDependencies));
  });

  it('does not load the command line from the library', () => {
    const library = clientSources.filter(({ path }) => !path.includes('/cli/'));
    expect(importsOf(library, (target) => target.includes('/cli/'))).to.deep.equal([]);
  });
});
