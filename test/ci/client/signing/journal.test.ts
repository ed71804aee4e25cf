import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileJournal } from '../../../../client/src/node.js';
import { nodeProcess } from '../../../support/client/command-line.js';
import { endProcesses, freshDirectory, root } from '../../../support/service/process.js';

/** Starts a process that tries to use the journal immediately, and kills itself while it uses it. Returns what it prints. */
async function otherProcess(path: string): Promise<string> {
  const module = JSON.stringify(join(root, 'client/dist/node.js'));
  const program = `const { fileJournal } = await import(${module});
    await fileJournal(${JSON.stringify(path)}, { busyMs: 0 }).exclusive(async () => {
      console.log('locked');
      process.kill(process.pid, 'SIGKILL');
    }).catch(({ code }) => console.log(code));`;
  const { out } = await nodeProcess(['--input-type=module', '-e', program]);
  return out.trim();
}

describe('the journal in a file', () => {
  after(endProcesses);

  it('stays locked when its process opens it a second time, and is free after its process is killed', async () => {
    const path = join(freshDirectory(), 'journal.json');
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const done = fileJournal(path).exclusive(() => {
      locked.resolve();
      return released.promise;
    });
    await locked.promise;
    expect(await otherProcess(path)).to.equal('JOURNAL_BUSY');
    const second = fileJournal(path, { busyMs: 0 }).exclusive(async () => 'locked');
    expect(await second.catch(({ code }: { code: string }) => code)).to.equal('JOURNAL_BUSY');
    expect(await otherProcess(path)).to.equal('JOURNAL_BUSY');
    released.resolve();
    await done;
    // Each process kills itself while it has the lock. The second one gets the lock nevertheless.
    for (let killed = 0; killed < 2; killed++) expect(await otherProcess(path)).to.equal('locked');
  });

  it('leaves no temporary file after a failed write, and removes those of processes that died', async () => {
    const directory = freshDirectory();
    const path = join(directory, 'journal.json');
    // Only the first name is that of a temporary file of this journal: its name, a process id, `.tmp`.
    for (const name of ['journal.json.4711.tmp', 'journal.json.tmp', 'other.json.4711.tmp'])
      writeFileSync(join(directory, name), 'half');
    await fileJournal(path).exclusive((file) => file.write([]));
    expect(readdirSync(directory).sort()).to.deep.equal([
      'journal.json',
      'journal.json.lock',
      'journal.json.tmp',
      'other.json.4711.tmp',
    ]);
    const blocked = join(directory, 'blocked.json');
    mkdirSync(blocked);
    const failed = await fileJournal(blocked)
      .exclusive((file) => file.write([]))
      .catch(({ code }: { code: string }) => code);
    expect(failed).to.equal('EISDIR');
    expect(readdirSync(directory).filter((name) => name.startsWith('blocked'))).to.deep.equal([
      'blocked.json',
      'blocked.json.lock',
    ]);
  });

  it('is refused without SQLite, with a hint that names what a journal in memory lacks', () => {
    const { getBuiltinModule } = process;
    Object.assign(process, { getBuiltinModule: () => undefined });
    try {
      expect(() => fileJournal('journal.json'))
        .to.throw('a journal in a file needs Node.js 22.13')
        .and.include({ code: 'NOT_CONFIGURED' })
        .and.have.property('hint')
        .match(/It does not survive a crash/);
    } finally {
      Object.assign(process, { getBuiltinModule });
    }
  });
});
