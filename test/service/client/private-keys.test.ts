import { expect } from 'chai';
import { Curvet, type CurvetOptions, memoryJournal, serviceError, toWei } from '../../../client/src/curvet.js';
import { curvet } from '../../support/client/command-line.js';
import { CONTRACT } from '../../support/client/fake-service.js';
import { SleepClock, scriptedFetch } from '../../support/client/scripted.js';
import { thrown } from '../../support/client/traders.js';
import { drawWallet } from '../../support/market/traders.js';
import { drawHex } from '../../support/seed.js';
import { endProcesses, freshDirectory } from '../../support/service/process.js';

/** A clock on which waiting is an error. A command that refuses its arguments never waits. */
const impatient = Object.assign(new SleepClock(), {
  sleep: async () => {
    throw new Error('the command waits');
  },
});

describe('a private key given to the command line', () => {
  let home: string;
  before(() => {
    home = freshDirectory();
  });
  after(endProcesses);

  const environment = (more = {}) => ({
    CURVET_HOME: home,
    CURVET_URL: 'http://127.0.0.1:1',
    CURVET_PASSWORD: 'a long password',
    ...more,
  });
  /** Runs a command, and checks that its output contains no 12 digits of the key in a row. */
  async function silent(argv: readonly string[], key: string, env = environment()) {
    const { code, out, error } = await curvet(argv, env, impatient);
    const shown = out + error;
    for (let i = 0; i <= key.length - 12; i++) {
      expect(shown.toLowerCase(), argv.join(' ')).to.not.include(key.slice(i, i + 12).toLowerCase());
    }
    return { code, out, error };
  }

  it('is refused as any argument, and not repeated in the output', async () => {
    const key = drawHex(32).slice(2);
    for (const form of [key, `0x${key}`, `0X${key.toUpperCase()}`]) {
      for (const argv of [
        [form],
        [`--${form}`],
        [`-${form}`],
        ['help', form],
        ['no-command', form],
        ['--json', 'status', form],
        ['--url', form, 'status'],
        ['wallet', 'import', form],
        ['buy', form, '1'],
        ['buy', 'ada', form],
        ['buy', 'ada', '1', '--id', form],
        ['buy', 'ada', '1', `--id=${form}`],
        ['mcp', '--unknown', form],
      ]) {
        const { code, out, error } = await silent(argv, key);
        expect([code, out], argv.join(' ')).to.deep.equal([2, '']);
        expect(error).to.include('CURVET_PRIVATE_KEY').and.include('curvet wallet import');
      }
    }
  });

  it('is not repeated in the output if it is only a part of an argument', async () => {
    const key = drawHex(32).slice(2);
    const chosen = ['--contract', `0x${'c0'.repeat(20)}`, '--chain-id', '1'];
    for (const [argv, expected] of [
      [['wallet', 'import', `./0x${key}`, ...chosen], 'ENOENT'],
      [['wallet', 'import', `./0x${key}`, ...chosen, '--json'], 'ENOENT'],
      [['post', `my key is 0x${key}`, '--dry-run'], 'would post "my key is 0x[secret]"'],
      [['post', `my key is ${'f'.repeat(63)}${key}`, '--dry-run', '--json'], 'my key is [secret]'],
      [['quote', 'ada', '--url', `0x${key}/`, '--json'], 'is not a URL'],
      [[`help${key}`], 'there is no command help[secret]'],
    ] as const) {
      const { out, error } = await silent(argv, key);
      expect(out + error).to.include(expected);
    }
  });

  it('is refused in an environment variable with another use', async () => {
    const key = drawHex(32).slice(2);
    for (const name of ['CURVET_HOME', 'CURVET_URL', 'CURVET_RPC_URL', 'CURVET_API_KEY']) {
      const { code, error } = await silent(['doctor'], key, environment({ [name]: `0x${key}` }));
      expect([code, error.includes(`${name} has the form of a private key`)]).to.deep.equal([3, true]);
    }
  });
});

describe('a message of the client', () => {
  it('contains no 64 hexadecimal digits in a row, wherever a key was given by mistake', async () => {
    const key = drawHex(32);
    const answer = { success: true, chainId: 1, contractAddress: CONTRACT, overloads: true };
    const client = (options: Partial<CurvetOptions>, contract = CONTRACT) =>
      new Curvet({
        baseUrl: 'http://curvet.test',
        clock: new SleepClock(),
        signer: drawWallet(),
        journal: memoryJournal(),
        limits: { chainId: 1, contract, perTrade: '1', perDay: '1', gas: '1' },
        fetch: scriptedFetch({ body: answer }).fetch,
        ...options,
      });
    const order = { agent: 'ada', amount: 1 };
    const unreachable = scriptedFetch(new TypeError('fetch failed')).fetch;
    const made = (work: () => unknown) => thrown((async () => work())());
    for (const error of [
      await made(() => client({ baseUrl: key })),
      await made(() => client({ baseUrl: `http://${key}.test`, fetch: unreachable }).me.get()),
      await made(() => client({ rpcUrl: key }).trade.buy(order)),
      await made(() => client({}, key).trade.buy(order)),
      await made(() => toWei(key)),
      serviceError(400, { error: `the service repeats ${key}`, hint: `Send ${key}.` }),
    ]) {
      const { message, hint = '' } = error as { message: string; hint?: string };
      expect(message).to.not.equal('did not throw');
      expect(`${message} ${hint}`).to.not.match(/[0-9a-f]{64}/i);
    }
  });
});
