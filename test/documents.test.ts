import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { MAX_PER_ADDRESS, MAX_PER_PROCESS } from '../src/server/live/queues.js';
import { root } from './support/service/process.js';
import { dailyTests } from './support/sources.js';

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('bench/node_modules/'));

/** The anchors of a document's headings, as GitHub makes them. */
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
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const paths = text.matchAll(
        /`((?:src|test|bench|scripts|contracts|docs|deploy|schema|examples|bin)\/[\w./-]+)`/g,
      );
      return [...paths].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));
    });
    expect(missing).to.deep.equal([]);
  });

  it('link only to files and headings that exist', () => {
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      return [...text.matchAll(/\]\((?!https?:|mailto:|\{\{)([^)#]*)(?:#([^)]*))?\)/g)]
        .filter(([, path = '', heading]) => {
          const file = path === '' ? join(root, document) : join(root, normalize(join(dirname(document), path)));
          // The chapters of the guides are put together into one page, which has a test of its own.
          const chapter = document.startsWith('src/features/guides/docs/');
          return !existsSync(file) || (heading !== undefined && !chapter && !headingsOf(file).includes(heading));
        })
        .map(([link]) => `${document}: ${link}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('name only commands of npm that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const names = [...text.matchAll(/npm run (?:-s |--silent )?([a-z][a-z:-]*)/g)].map(([, name = '']) => name);
      return names.filter((name) => !(name in scripts)).map((name) => `${document}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('list each page of decisions, few and short', () => {
    const read = (name: string) => readFileSync(join(root, 'docs/decisions', name), 'utf8');
    const names = readdirSync(join(root, 'docs/decisions'));
    const pages = names.filter((name) => name !== 'README.md');
    const listed = [...read('README.md').matchAll(/^- \[(.+)\]\(\1\): /gm)].map(([, name]) => name);
    expect(listed).to.have.members(pages);
    expect(pages.length).to.be.at.most(14);
    const lines = names.flatMap((name) => read(name).trimEnd().split('\n'));
    expect(lines.length).to.be.at.most(700);
    expect(lines.filter((line) => line.length > 132)).to.deep.equal([]);
    const sections = pages.flatMap((name) => read(name).split(/^## /m).slice(1));
    const long = sections.map((section) => section.trim().split('\n')).filter((section) => section.length > 7);
    expect(long.map(([heading]) => heading)).to.deep.equal([]);
  });

  it('begin, in the README, with three sentences, a picture and two commands', () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
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

  it('have, in the README, at most 150 lines, and no answer as one long line', () => {
    const lines = readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n');
    expect(lines.length).to.be.at.most(150);
    expect(lines.filter((line) => line.length > 132 && !line.startsWith('|'))).to.deep.equal([]);
  });

  it('say how many steps of replays run at a time', () => {
    const text = readFileSync(join(root, 'docs/live.md'), 'utf8');
    expect(text).to.include(`at most ${MAX_PER_ADDRESS} steps per address and ${MAX_PER_PROCESS} per process`);
    expect(text).to.not.match(/replays per address/);
  });
});
