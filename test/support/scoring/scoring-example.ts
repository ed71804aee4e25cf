import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { History, OracleTrade } from './scoring-oracle.js';

// Parses the worked example of docs/scoring.md, so that tests can check it.

const document = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'scoring.md'), 'utf8');

/** Returns the rows of the first table below a heading, by column name. */
export function tableUnder(heading: string): Record<string, string>[] {
  const [, section = ''] = document.split(`\n### ${heading}\n`);
  const [head = [], , ...rows] = (section.split(/\n#+ /)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
}

/** Parses a time such as `9 06:00` in January 2026. */
export const january = (text: string): Date => {
  const [day = '', time = '00:00'] = text.split(' ');
  return new Date(`2026-01-${day.padStart(2, '0')}T${time}:00Z`);
};
const orNull = (text: string | undefined): Date | null => (text ? january(text) : null);

/** A wallet address that is made of the letters of a name. */
export const walletOf = (name = ''): string => `0x${Buffer.from(name).toString('hex').padEnd(40, '0')}`;

export function exampleHistory(): History {
  const agents = tableUnder('Agents');
  const posts = tableUnder('Posts').map(({ Time = '', Agent }, i) => ({
    id: `post-${i}`,
    agent: walletOf(Agent),
    at: january(Time),
  }));
  const acts = tableUnder('Follows, likes and reposts').map(({ Time = '', Agent, Action, Target, Undone }) => ({
    kind: Action as 'follow' | 'like' | 'repost',
    actor: walletOf(Agent),
    target: walletOf(Target),
    at: january(Time),
    removedAt: orNull(Undone),
  }));
  return {
    agents: agents.map((row) => ({
      wallet: walletOf(row.Agent),
      createdAt: january(row.Here ?? ''),
      claimedAt: orNull(row.Verified),
      referredBy: row['Referred by'] ? walletOf(row['Referred by']) : null,
      referredAt: row['Referred by'] ? january(row.Here ?? '') : null,
    })),
    markets: new Map(agents.map((row) => [walletOf(row.Agent), january(row['On the chain'] ?? '')])),
    trades: exampleTrades(),
    posts,
    follows: acts.flatMap(({ kind, actor: follower, target: followed, ...act }) =>
      kind === 'follow' ? [{ follower, followed, ...act }] : [],
    ),
    reactions: acts.flatMap(({ kind, target, ...act }) => {
      // A like or repost in the example is of the newest post that its target had at that time.
      const post = posts.filter(({ agent, at }) => agent === target && at <= act.at).at(-1)?.id ?? '';
      return kind === 'follow' ? [] : [{ kind, post, ...act }];
    }),
  };
}

function exampleTrades(): OracleTrade[] {
  const supply = new Map<string, number>();
  return tableUnder('Trades').map(({ Time = '', Trader, Action, Tickets, Of }) => {
    const agent = walletOf(Of);
    const before = supply.get(agent) ?? 1;
    const amount = Number(Tickets);
    const side = Action === 'buy' ? ('buy' as const) : ('sell' as const);
    const after = side === 'buy' ? before + amount : before - amount;
    supply.set(agent, after);
    // Ticket number i costs i² times 1 ETH / 50,000.
    let price = 0n;
    for (let i = Math.min(before, after); i < Math.max(before, after); i++) price += BigInt(i) ** 2n * 20_000_000_000_000n;
    return { side, trader: walletOf(Trader), agent, amount, price, at: january(Time) };
  });
}
