import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Journal } from '../../../client/src/curvet.js';
import { fileJournal } from '../../../client/src/node.js';
import { HANG_MS } from '../../support/hang.js';
import { endProcesses, freshDirectory, root } from '../../support/service/process.js';

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
function otherProcess(path: string): Promise<string> {
  const module = JSON.stringify(join(root, 'client/dist/node.js'));
  const program = `const { fileJournal } = await import(${module});
    await fileJournal(${JSON.stringify(path)}, { busyMs: 0 }).exclusive(async () => console.log('locked'))
      .catch(({ code }) => console.log(code));`;
  const child = spawn(join(root, 'bin/node'), ['--input-type=module', '-e', program], { timeout: HANG_MS });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(out.trim()));
  });
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
