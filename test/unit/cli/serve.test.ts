import { expect } from 'chai';
import { moderateCommand } from '../../../src/cli/commands/moderate.js';
import { reindexUntil } from '../../../src/cli/commands/reindex.js';
import { seasonCommand } from '../../../src/cli/commands/season.js';
import { logOf } from '../../../src/cli/log.js';
import { serviceUntil, stopInTime } from '../../../src/cli/serve.js';
import { COMMIT, VERSION } from '../../../src/config/config.js';
import { callProgram, terminal } from '../../support/service/command.js';
import { manualTimes } from '../../support/times.js';

describe('a program that is interrupted', () => {
  it('ends with exit code 1 after 9.5 seconds if a part hangs', async () => {
    const [interrupt, times] = [new AbortController(), manualTimes()];
    const seen: number[] = [];
    const ended = stopInTime(new Promise(() => {}), interrupt.signal, times).then((code) => seen.push(code));
    expect(times.waiting).to.deep.equal([]);
    interrupt.abort();
    times.advance(9499);
    await new Promise(setImmediate);
    expect(seen).to.deep.equal([]);
    times.advance(1);
    await ended;
    expect(seen).to.deep.equal([1]);
  });

  it('ends with its own exit code if it ends in time', async () => {
    const [interrupt, times] = [new AbortController(), manualTimes()];
    const ended = stopInTime(Promise.resolve(0), interrupt.signal, times);
    interrupt.abort();
    expect(await ended).to.equal(0);
  });
});

describe('the arguments of a program', () => {
  const start = (...args: string[]) => callProgram(serviceUntil(AbortSignal.abort()), args, { PORT: 'four' });

  it('include --version and --help, which work even with a wrong setting', async () => {
    const commit = COMMIT && ` (${COMMIT})`;
    expect(await start('--version')).to.deep.equal({ code: 0, stdout: `curvet ${VERSION}${commit}\n`, stderr: '' });
    const { code, stdout, stderr } = await start('--help');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^usage: npm start .+--version.+\.env\.example/s);
  });

  for (const [name, program] of Object.entries({
    'npm start ': serviceUntil(AbortSignal.abort()),
    'npm run reindex\n': reindexUntil(AbortSignal.abort()),
    'npm run season -- list\n': seasonCommand,
    'npm run moderate -- hide ': moderateCommand,
  })) {
    it(`include --help, which prints the usage of ${name.trim()} on stdout wherever it stands`, async () => {
      for (const args of [['--help'], ['--by', 'ann', '--help'], ['start', '--help']]) {
        const { code, stdout, stderr } = await callProgram(program, args, { PORT: 'four' });
        expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
        expect(stdout).to.match(new RegExp(`^usage: ${name}`));
      }
    });
  }

  for (const [usage, until, wrong] of [
    ['npm start ', serviceUntil, [['--prot=4001'], ['-v'], ['start'], ['4001', '--version']]],
    ['npm run reindex\n', reindexUntil, [['--from=1']]],
  ] as const) {
    it(`are refused by ${usage.trim()} if they are unknown, before anything starts`, async () => {
      for (const args of wrong) {
        const { code, stdout, stderr } = await callProgram(until(AbortSignal.abort()), args, { PORT: 'four' });
        expect([code, stdout]).to.deep.equal([1, '']);
        expect(stderr).to.match(new RegExp(`^curvet: "${args[0]}" is no argument\nusage: ${usage}`));
      }
    });
  }
});

describe('the log at a terminal', () => {
  it('has lines for people, in which texts of strangers stay escaped', async () => {
    const lines: string[] = [];
    const log = await logOf({ LOG_LEVEL: 'info' }, {}, terminal((text) => lines.push(text)).stdout);
    const hostile = 'a \u001b[2J \u009b2J \u202e \u007f\nnext';
    log.warn({ path: '/\u001b[2J', time: 12.3, err: new Error(hostile) }, 'it is slow');
    log.debug('not shown');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^\S*\[[\d:.]+\]\S* \S*WARN\S*: \S*it is slow 12\.3 ms\S* .*"path":"\/\\u001b\[2J".*\n$/);
    // Every escape sequence that is left must be a colour.
    for (const escaped of (lines[0] ?? '').split('\u001b').slice(1)) expect(escaped).to.match(/^\[\d+m/);
    expect(lines[0]?.trim()).to.not.match(/[\n\u007f-\u009f\u202e]/);
  });
});
