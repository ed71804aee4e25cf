import { join } from 'node:path';
import { expect } from 'chai';
import type { Journal } from '../../../client/src/curvet.js';
import { fileJournal } from '../../../client/src/node.js';
import { endProcesses, freshDirectory, root } from '../../support/service/process.js';
import { nodeProcess } from '../support/command-line.js';

/** A journal with work that runs until `release` is called. */
async function holding(journal: Journal): Promise<{ release(): void; readonly done: Promise<void> }> {
  let release = () => {};
  let done: Promise<void> = Promise.resolve();
  await new Promise<void>((locked) => {
    done = journal.exclusive(() => {
      locked();
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
  });
  return { release: () => release(), done };
}

/** Output of another process that tries to use the journal immediately. */
async function otherProcess(path: string): Promise<string> {
  const module = JSON.stringify(join(root, 'client/dist/node.js'));
  const program = `const { fileJournal } = await import(${module});
    await fileJournal(${JSON.stringify(path)}, { busyMs: 0 }).exclusive(async () => console.log('locked'))
      .catch(({ code }) => console.log(code));`;
  const { out } = await nodeProcess(['--input-type=module', '-e', program]);
  return out.trim();
}

describe('the journal in a file', () => {
  after(endProcesses);

  it('stays locked for other processes if its own process has a second journal on the file', async () => {
    const path = join(freshDirectory(), 'journal.json');
    const { release, done } = await holding(fileJournal(path));
    expect(await otherProcess(path)).to.equal('JOURNAL_BUSY');
    const second = fileJournal(path, { busyMs: 0 }).exclusive(async () => 'locked');
    expect(await second.catch(({ code }: { code: string }) => code)).to.equal('JOURNAL_BUSY');
    expect(await otherProcess(path)).to.equal('JOURNAL_BUSY');
    release();
    await done;
    expect(await otherProcess(path)).to.equal('locked');
  });
});
