import { isDeepStrictEqual } from 'node:util';
import { median, quantile } from './figures.js';
import { load, type Request } from './load.js';
import { pinDatabase } from './product.js';
import type { Line, Options } from './result.js';
import type { Server } from './servers.js';

export type Contender = {
  readonly name: string;
  readonly server: Server;
  readonly request: Request;
  /** The part of an answer that must be equal for all contenders. @default the whole text */
  readonly same?: (text: string) => unknown;
};

export type Figures = {
  readonly perSecond: number;
  /** CPU time of the server per request, in milliseconds. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
};

const CONNECTIONS = 16;

/**
 * Measures the contenders in turn (A B A B) after an uncounted warm-up round. Results are medians over the rounds. Each turn
 * starts with an uncounted period, which reopens idle database connections.
 */
export async function measure(
  contenders: readonly Contender[],
  database: string,
  { rounds, seconds, say }: Pick<Options, 'rounds' | 'seconds' | 'say'>,
): Promise<Figures[]> {
  await sameAnswers(contenders);
  const taken = contenders.map((): Figures[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, { server, request }] of contenders.entries()) {
      await load(server.url, request, { connections: CONNECTIONS, seconds: Math.min(round === 0 ? 2 : 1, seconds) });
      if (round === 0) continue;
      await pinDatabase(database);
      const before = server.cpu();
      const { requests, seconds: took, latencies } = await load(server.url, request, { connections: CONNECTIONS, seconds });
      taken[i]?.push({
        perSecond: requests / took,
        cpu: (server.cpu() - before) / requests,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      });
    }
  }
  const of = (list: Figures[], key: keyof Figures) => median(list.map((figures) => figures[key]));
  return taken.map((list, i) => {
    const figures = {
      perSecond: of(list, 'perSecond'),
      cpu: of(list, 'cpu'),
      p50: of(list, 'p50'),
      p99: of(list, 'p99'),
    };
    say(`  ${contenders[i]?.name}: ${inWords(figures)}`);
    return figures;
  });
}

export const inWords = ({ perSecond, cpu, p50, p99 }: Figures): string =>
  `${perSecond.toFixed(0)}/s, ${cpu.toFixed(3)} ms CPU, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

/** A line of the results that compares the throughput of the service with that of a peer. `least` is the target of their ratio. */
export const throughputLine = (
  { work, against, least }: { readonly work: string; readonly against: string; readonly least: number },
  service: Figures,
  peer: Figures,
): Omit<Line, 'row'> => ({
  work,
  against,
  product: inWords(service),
  peer: inWords(peer),
  value: service.perSecond / peer.perSecond,
  target: { at: 'least', value: least, unit: 'times' },
  cpuRatio: peer.cpu / service.cpu,
  note: '',
});

/**
 * A line of the results with the share of the limit that a cached answer reaches. The limit is a bare server (`startConstant`). It
 * compares CPU time, because the load generator cannot use up the core of that server: by throughput, the share would be too high.
 * `least` is the target.
 */
export const limitLine = (work: string, least: number, service: Figures, limit: Figures): Omit<Line, 'row'> => ({
  work,
  against: 'bare node:http, one constant answer',
  product: inWords(service),
  peer: inWords(limit),
  value: limit.cpu / service.cpu,
  target: { at: 'least', value: least, unit: 'times' },
  note: 'share of the limit, by CPU time',
});

export async function ask(url: string, { path, headers, body }: Request): Promise<string> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body };
  const answer = await fetch(url + path, { ...init, headers: { ...type, ...headers } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}${path} answers ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}

/** Throws unless all answers are equal. Figures over 24 hours may change between two requests, so it tries several times. */
async function sameAnswers(contenders: readonly Contender[]): Promise<void> {
  let last: unknown[] = [];
  for (let tries = 0; tries < 4; tries++) {
    last = await Promise.all(
      contenders.map(async ({ server, request, same = (text: string) => text }) => same(await ask(server.url, request))),
    );
    if (last.every((answer) => isDeepStrictEqual(answer, last[0]))) return;
  }
  const wrong = last.findIndex((answer) => !isDeepStrictEqual(answer, last[0]));
  const text = (i: number) => (typeof last[i] === 'string' ? (last[i] as string) : JSON.stringify(last[i]));
  const from = [...text(0)].findIndex((character, i) => character !== text(wrong)[i]);
  throw new Error(
    `${contenders[wrong]?.name} answers something else than ${contenders[0]?.name}:
  ${text(0).slice(Math.max(0, from - 200), from + 200)}
  ${text(wrong).slice(Math.max(0, from - 200), from + 200)}`,
  );
}
