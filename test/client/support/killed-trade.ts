// A process that buys one ticket and kills itself after a request. It prints the hash before it closes the trade, as the command
// line does.
import { Wallet } from 'ethers';
import { Curvet } from '../../../client/src/curvet.js';
import { fileJournal } from '../../../client/src/node.js';
import { SleepClock } from './scripted.js';
import type { Stepping } from './steps.js';
import { buyOnce } from './trade-once.js';

export type KilledTrade = Omit<Stepping, 'clock'> & {
  readonly agent: string;
  /** A text in the URL or the body of the request. */
  readonly killAfter: string;
  /** The time of the service, in milliseconds since 1970. */
  readonly time: number;
};

const { agent, killAfter, time, ...options } = JSON.parse(process.argv[2] ?? '') as KilledTrade;
const clock = new SleepClock();
clock.time = time;
const curvet = new Curvet({
  ...{ ...options, clock, signer: new Wallet(options.privateKey), journal: fileJournal(options.journal) },
  async fetch(input, init) {
    const answer = await globalThis.fetch(input, init);
    if (`${input} ${init?.body}`.includes(killAfter)) process.kill(process.pid, 'SIGKILL');
    return answer;
  },
});
await buyOnce(agent, undefined, (hash) => process.stdout.write(`bought ${hash}\n`))(curvet);
