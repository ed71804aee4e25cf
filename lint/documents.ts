import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../src/config/config.js';
import { variables } from '../src/config/variables.js';
import { blocksOf, drillsOf, RUNBOOK, runbook } from '../test/nightly/drills/support/runbook.js';
import { root } from '../test/support/service/process.js';
import { dailyTests, demoSources, sources } from './sources.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('bench/node_modules/'));

/** Searches all documents. Returns what the first group of the pattern finds and `exists` denies, each with its document. */
const missing = (pattern: RegExp, exists: (found: string) => boolean): string[] =>
  documents.flatMap((document) =>
    [...read(document).matchAll(pattern)].filter(([, found = '']) => !exists(found)).map(([, found]) => `${document}: ${found}`),
  );

/** The anchors that GitHub makes of the headings in a document. */
function headingsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').match(/^#{1,6} .+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    const paths = /`((?:src|test|bench|demo|scripts|contracts|docs|deploy|schema|examples|bin)\/[\w./-]+)`/g;
    expect(missing(paths, (path) => existsSync(join(root, path)))).to.deep.equal([]);
  });

  it('link only to files and headings that exist', () => {
    const broken = documents.flatMap((document) => {
      return [...read(document).matchAll(/\]\((?!https?:|mailto:|\{\{)([^)#]*)(?:#([^)]*))?\)/g)]
        .filter(([, path = '', heading]) => {
          const file = path === '' ? join(root, document) : join(root, normalize(join(dirname(document), path)));
          // The chapters of the guides become the page /docs, so a chapter may link to a heading of another chapter.
          // `test/service/features/guides/documents.test.ts` checks these links.
          const chapter = document.startsWith('src/features/guides/docs/');
          return !existsSync(file) || (heading !== undefined && !chapter && !headingsOf(file).includes(heading));
        })
        .map(([link]) => `${document}: ${link}`);
    });
    expect(broken).to.deep.equal([]);
  });

  it('name only commands of npm that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(missing(/npm run (?:-s |--silent )?([a-z][a-z:-]*)/g, (name) => name in scripts)).to.deep.equal([]);
  });

  it('list every decision, in at most 14 short pages', () => {
    const names = readdirSync(join(root, 'docs/decisions'));
    const page = (name: string) => read(`docs/decisions/${name}`);
    const pages = names.filter((name) => name !== 'README.md');
    const listed = [...page('README.md').matchAll(/^- \[(.+)\]\(\1\): /gm)].map(([, name]) => name);
    expect(listed).to.have.members(pages);
    expect(pages.length).to.be.at.most(14);
    const lines = names.flatMap((name) => page(name).trimEnd().split('\n'));
    expect(lines.length).to.be.at.most(700);
    expect(lines.filter((line) => line.length > 132)).to.deep.equal([]);
    const sections = pages.flatMap((name) => page(name).split(/^## /m).slice(1));
    const long = sections.map((section) => section.trim().split('\n')).filter((section) => section.length > 7);
    expect(long.map(([heading]) => heading)).to.deep.equal([]);
  });

  it('introduce Curvet in the README with three sentences, a picture and two commands', () => {
    const text = read('README.md');
    const [first = '', start = ''] = text.split(/^## /m);
    const [, introduction = ''] = /^# Curvet\n\n([\s\S]+?)\n\n</.exec(first) ?? [];
    expect(introduction.split(/\.(?:\s|$)/).filter(Boolean)).to.have.length(3);
    expect(first.match(/<img |!\[/g)).to.have.length(1);
    const [, commands = ''] = /```sh\n([\s\S]+?)```/.exec(first) ?? [];
    expect(commands.match(/^[^#\n]+/gm)?.map((command) => command.trim())).to.deep.equal([
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
    expect(first)
      .to.include('Nothing else is needed')
      .and.match(/minutes/);
    const [, file] = /`npm test -- (\S+)`/.exec(start) ?? [];
    expect(dailyTests.filter(({ path }) => path.includes(String(file)))).to.have.length(1);
  });

  it('have a README of at most 150 lines, none of them long outside of tables', () => {
    const lines = read('README.md').trimEnd().split('\n');
    expect(lines.length).to.be.at.most(150);
    expect(lines.filter((line) => line.length > 132 && !line.startsWith('|'))).to.deep.equal([]);
  });
});

/** The names of the secret variables. A refusal of a wrong value calls it `the value` for these, and prints it for all others. */
const secrets = Object.keys(variables).filter((name) => {
  try {
    readConfig({ [name]: '\u0000' });
  } catch (error) {
    return error instanceof ConfigError && error.message.startsWith(`${name}: the value `);
  }
  return false;
});

describe(RUNBOOK, () => {
  const document = runbook();

  it('marks each of its commands for a drill, or says why no drill runs it', () => {
    const unmarked = blocksOf(document).filter(({ mark }) => !/^(drill: [\w-]+|not in a drill: .+)/.test(mark ?? ''));
    expect(unmarked.map(({ script }) => script)).to.deep.equal([]);
    const named = blocksOf(document).filter(({ mark }) => mark?.startsWith('drill: '));
    expect(drillsOf(document).size).to.equal(named.length);
    expect(named.length).to.be.above(10);
  });

  it('marks commands for a drill only if a drill runs them', () => {
    const texts = globSync('test/nightly/drills/*.drill.ts', { cwd: root }).map(read).join('\n');
    const run = [...texts.matchAll(/\bbook\.(?:run|try|settings)\(\s*'([\w-]+)'/g)].map(([, name]) => name);
    expect([...drillsOf(document).keys()].filter((name) => !run.includes(name))).to.deep.equal([]);
  });

  it('says how to rotate every secret of the configuration', () => {
    expect(secrets).to.include.members(['SECRET_KEY', 'CRON_SECRET', 'DATABASE_URL', 'RPC_URL']);
    const table = /## Rotate secrets\n([\s\S]*?)\n\*\*/.exec(document)?.[1] ?? '';
    const rotated = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(secrets.filter((name) => !rotated.includes(name))).to.deep.equal([]);
  });

  it('uses only variables of the configuration in its commands, or explains them', () => {
    const known = new Set([...Object.keys(variables), 'POSTGRES_PASSWORD']);
    const explained = [...document.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, name]) => name as string);
    const used = blocksOf(document).flatMap(({ script }) =>
      [...script.matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name]) => name as string),
    );
    const unknown = used.filter((name) => !known.has(name) && !explained.includes(name));
    expect([...new Set(unknown)]).to.deep.equal([]);
  });
});

type LogLine = { readonly level: string; readonly message: string };

/** Matches a call of a logger. Every logger in the source is named `log`. */
const CALL = /\blog\??(?:\.(trace|debug|info|warn|error|fatal)|\[([^\]]*)\])\(/g;
/** Matches the arguments of such a call: optional fields, then the message, which is a literal or an expression. */
const ARGUMENTS = /^\s*(?:(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w+),\s*)?(?:(['`])([\s\S]*?)\1|([\w.]+)),?\s*\)/;

/** Messages that are not literals: the expression in the source, and the message in the document. */
const COMPUTED: Readonly<Record<string, string>> = {
  'error.message': 'the error of the answer',
  ready: 'Curvet is ready at … (…)',
  why: 'the chain contradicts the index (…); run npm run reindex…',
};
/** Variables that a template inserts as whole sentences: their name, and the sentence in the document. */
const INSERTED: Readonly<Record<string, string>> = {
  warning: 'DATA_DIR: … files and directories were open to other users of this machine',
};

/** The message in the arguments of a call, as the document writes it: `…` stands for inserted values. */
function messageOf(text: string): string {
  const [, , literal, expression = ''] = ARGUMENTS.exec(text) ?? [];
  const message = literal?.replace(/\$\{([^}]*)\}/g, (_, name: string) => INSERTED[name] ?? '…') ?? COMPUTED[expression];
  if (message === undefined) throw new Error(`the message of a log line is no literal: ${text.slice(0, 80)}`);
  return message;
}

/** The log lines that a source file can write. */
const logLinesOf = (text: string): LogLine[] =>
  [...text.matchAll(CALL)].flatMap((call) => {
    const message = messageOf(text.slice(call.index + call[0].length));
    // `log[condition ? 'info' : 'fatal']` can write the line at both levels.
    const levels = call[1] ? [call[1]] : [...(call[2] ?? '').matchAll(/'(\w+)'/g)].map(([, level]) => level as string);
    return levels.map((level) => ({ level, message }));
  });

const nameOf = ({ level, message }: LogLine): string => `${level} ${message}`;
const namesOf = (lines: readonly LogLine[]): string[] => [...new Set(lines.map(nameOf))].sort();

describe(`the log lines in ${RUNBOOK}`, () => {
  const [, table = ''] = /<!-- log lines -->\s*\|.*\|\n\|[-|]+\|\n([\s\S]*?)<!-- end -->/.exec(runbook()) ?? [];
  const documented = table
    .trim()
    .split('\n')
    .map((row) => {
      const [level = '', message = '', ...others] = row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim());
      return { level, message: message.replace(/^`|`$/g, ''), others };
    });
  const written = [...sources, ...demoSources].flatMap(({ text }) => logLinesOf(text));

  it('are all log lines of the source, and no others', () => {
    expect(written.length).to.be.above(30);
    expect(namesOf(documented)).to.deep.equal(namesOf(written));
  });

  it('are each listed once, with meaning and action', () => {
    expect(documented.map(nameOf).sort()).to.deep.equal(namesOf(documented));
    for (const { others, ...line } of documented) {
      expect(others, nameOf(line)).to.have.length(2).and.not.include('');
    }
  });

  it('are those of every logger, because each logger is named log', () => {
    const others = [...sources, ...demoSources].flatMap(({ path, text }) =>
      [...text.matchAll(/(\w+)\??\.(?:trace|debug|info|warn|error|fatal)\(/g)]
        .filter(([, name]) => name !== 'log')
        .map(([call]) => `${path}: ${call}`),
    );
    expect(others).to.deep.equal([]);
  });
});
