import { expect } from 'chai';
import { demoUntil } from '../../../demo/command.js';
import { callProgram, type Outcome } from '../../support/service/command.js';

/** Calls the demo with an invalid PORT, so that it never starts anything. */
const demo = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  callProgram(demoUntil(AbortSignal.abort()), args, { PORT: 'four', ...env });

describe('the command of the demo', () => {
  it('answers --help on stdout, wherever it stands', async () => {
    for (const args of [['--help'], ['--by', 'ann', '--help'], ['start', '--help']]) {
      const { code, stdout, stderr } = await demo(args);
      expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
      expect(stdout).to.match(/^usage: npm run demo /);
    }
  });

  it('refuses an unknown argument before anything starts', async () => {
    const { code, stdout, stderr } = await demo(['--frsh']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^curvet: "--frsh" is no argument\nusage: npm run demo /);
  });

  it('accepts production, too, because its database and chain are embedded on purpose', async () => {
    const { stderr } = await demo([], { NODE_ENV: 'production' });
    expect(stderr).to.match(/^curvet: PORT: .+\n$/);
  });
});
