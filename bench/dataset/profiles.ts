import { hashKey } from '../../src/keys.js';
import { insertMany, type Sql } from '../../src/store/sql.js';
import { ageRank, codeOf, keyOf, nameOf, walletOf } from './people.js';
import type { Size } from './plan.js';
import { type Calendar, DAY_MS } from './time.js';

const BATCH = 20_000;

export async function storeProfiles(sql: Sql, { agents }: Size, at: Calendar): Promise<void> {
  // Sorted by registration, because a referrer is registered before the agents that it refers.
  const numbers = Array.from({ length: agents }, (_, number) => number).sort((a, b) => ageRank(a, agents) - ageRank(b, agents));
  for (let from = 0; from < agents; from += BATCH) {
    // The shares are arbitrary: for example, every third agent was referred, and every second agent is claimed.
    const some = numbers.slice(from, from + BATCH).map((number, i) => {
      const [rank, name] = [from + i, nameOf(number)];
      const createdAt = new Date(at.registration(rank).time.getTime() + 5000 + (rank % 1000));
      const referredBy = rank > 0 && rank % 3 === 0 ? walletOf(numbers[Math.floor(rank / 3)] as number) : null;
      const claimedAt = number % 2 === 0 ? new Date(createdAt.getTime() + DAY_MS) : null;
      return { number, name, createdAt, referredBy, claimedAt };
    });
    await insertMany(sql, 'agent', {
      wallet: ['varchar', some.map(({ number }) => walletOf(number))],
      name: ['varchar', some.map(({ name }) => name)],
      agent_id: ['varchar', some.map(({ name }) => name.toLowerCase().replaceAll(' ', '_'))],
      api_key_hash: ['bytea', some.map(({ number }) => `\\x${hashKey(keyOf(number)).toString('hex')}`)],
      verification_code: ['varchar', some.map(({ number }) => codeOf(number))],
      description: ['varchar', some.map(({ number, name }) => (number % 5 ? `${name} trades tickets by a plan` : null))],
      bio: ['varchar', some.map(({ number }) => (number % 4 ? `Number ${number} of the market, "quoted" & open to all` : null))],
      avatar_url: ['varchar', some.map(({ number }) => (number % 3 ? `https://pictures.example/${number}.png` : null))],
      referred_by: ['varchar', some.map(({ referredBy }) => referredBy)],
      referred_at: ['timestamptz', some.map(({ referredBy, createdAt }) => referredBy && createdAt)],
      social_handle: ['varchar', some.map(({ number, claimedAt }) => claimedAt && `handle_${number}`)],
      claimed_at: ['timestamptz', some.map(({ claimedAt }) => claimedAt)],
      claim_post_id: ['varchar', some.map(({ number, claimedAt }) => claimedAt && String(1000 + number))],
      registration_ip: ['bytea', some.map(() => '\\x00')],
      created_at: ['timestamptz', some.map(({ createdAt }) => createdAt)],
    });
  }
  await sql('insert into issued_code (code, wallet, issued_at) select verification_code, wallet, created_at from agent');
}
