import { expect } from 'chai';
import { updateLinks } from '../../../../src/features/seasons/links/links.js';
import { scoreNow } from '../../../../src/features/seasons/score.js';
import { DAY_MS } from '../../../../src/values/time.js';
import { newAgent, success } from '../../../support/market/agents.js';
import { walletOf } from '../../../support/scoring/scoring-example.js';
import { storeHistory } from '../../../support/scoring/scoring-rows.js';
import { scriptedSeason } from '../../../support/scoring/scripted-season.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const DAY = 24 * 60;
const joins = (...names: string[]) => names.map((name) => `0 ${name} joins`);
/** Ten trades of each wallet in ten markets, a day each. The wallets trade `apart` minutes after one another: 0 is the same block. */
const alike = (names: readonly string[], apart: number) => [
  ...Array.from({ length: 10 }, (_, i) => `0 M${i} joins`),
  ...Array.from({ length: 10 }, (_, i) => names.map((name, k) => `${(i + 1) * DAY + k * apart} ${name} buys 2 M${i}`)).flat(),
];

type Ring = { readonly lines: readonly string[]; readonly links: readonly string[] };

const rings: Readonly<Record<string, Ring>> = {
  'agents that one referrer brings within minutes, and that only post': {
    lines: [
      ...joins('Ada', 'Eve', 'M'),
      ...['10 Bo', '12 Cy', '15 Dot'].map((who) => `${who} joins by Ada`),
      '20 Bo posts',
      '21 Cy posts',
      '22 Dot posts',
      // The agents of Eve register on different days, and trade.
      ...['10 Fay', `${DAY} Gus`, `${2 * DAY} Hal`].map((who) => `${who} joins by Eve`),
      ...['Fay', 'Gus', 'Hal'].map((who, i) => `${3 * DAY + 30 * i} ${who} buys 12 M`),
    ],
    links: ['Ada Bo', 'Ada Cy', 'Ada Dot', 'Bo Cy', 'Bo Dot', 'Cy Dot'],
  },
  'agents whose fees go to one wallet outside of the market': {
    lines: [...joins('Ada', 'Bo', 'Cy'), '5 Ada pays Cold', '6 Bo pays Cold', '7 Cy pays Other'],
    links: ['Ada Bo'],
  },
  'agents whose fees go to another agent, or to a wallet that trades': {
    lines: [...joins('Ada', 'Bo', 'Cy', 'Dot'), '5 Bo pays Ada', '6 Cy pays Ada', '7 Dot pays Trader', '8 Trader buys 1 Dot'],
    links: ['Ada Bo', 'Ada Cy', 'Bo Cy', 'Dot Trader'],
  },
  'wallets that trade the same in the same blocks': {
    lines: alike(['Bo', 'Cy', 'Dot'], 0),
    links: ['Bo Cy', 'Bo Dot', 'Cy Dot'],
  },
  'agents that trade with each other, in the same blocks': {
    lines: [...joins('Ada', 'Bo'), ...[10, 20, 30].flatMap((minute) => [`${minute} Ada buys 2 Bo`, `${minute} Bo buys 2 Ada`])],
    links: ['Ada Bo'],
  },
  'referred agents that trade in the same blocks': {
    lines: [
      ...joins('Ada', 'M'),
      ...['10 Bo', '12 Cy', '15 Dot'].map((who) => `${who} joins by Ada`),
      ...[20, 30, 40].flatMap((minute) => [`${minute} Bo buys 9 M`, `${minute} Cy buys 3 M`]),
      '50 Dot buys 3 M',
    ],
    links: ['Ada Bo', 'Ada Cy', 'Bo Cy'],
  },
  // What others do to a wallet links it with them only.
  'no link between two agents of which each shares a destination of fees with a wallet of one owner': {
    lines: [
      ...joins('Bo', 'Cy', 'Vera', 'Will'),
      ...alike(['Bo', 'Cy'], 0),
      '50 Vera pays Cold',
      '51 Will pays Colder',
      '52 Bo pays Cold',
      '53 Cy pays Colder',
    ],
    links: ['Bo Cy', 'Bo Vera', 'Cy Will'],
  },
  'no link between a newcomer and the other wallets of an agent that registers beside it': {
    lines: [
      ...joins('Ada', 'Cy', 'Vera'),
      ...['10 Bo', '12 Dot', '15 Eve'].map((who) => `${who} joins by Ada`),
      ...alike(['Bo', 'Cy'], 0),
      '60 Bo pays Vera',
    ],
    links: ['Ada Dot', 'Ada Eve', 'Bo Cy', 'Bo Vera', 'Dot Eve'],
  },
  'no link between two agents that wallets of one owner name': {
    lines: [...joins('Bo', 'Cy', 'Vera', 'Will'), ...alike(['Bo', 'Cy'], 0), '50 Bo pays Vera', '51 Cy pays Will'],
    links: ['Bo Cy', 'Bo Vera', 'Cy Will'],
  },
};

const innocent: Readonly<Record<string, readonly string[]>> = {
  'agents that one referrer brings within minutes, and that trade': [
    ...joins('Ada', 'M'),
    ...['10 Bo', '12 Cy', '15 Dot'].map((who) => `${who} joins by Ada`),
    ...['Bo', 'Cy', 'Dot'].map((who, i) => `${20 + i} ${who} buys 9 M`),
  ],
  'two agents that one referrer brings, or three with pauses of 11 minutes': [
    ...joins('Ada', 'Eve'),
    ...['10 Bo', '12 Cy'].map((who) => `${who} joins by Ada`),
    ...['10 Fay', '21 Gus', '32 Hal'].map((who) => `${who} joins by Eve`),
  ],
  'an agent whose fees go to a wallet of its own, or no more to that of another': [
    ...joins('Ada', 'Bo', 'Cy'),
    '5 Ada pays Cold',
    '6 Bo pays Cy',
    '7 Bo pays Bo',
  ],
  'wallets that trade the same at other times': alike(['Bo', 'Cy'], 7),
  'agents that trade with each other, and meet in three of 20 blocks': [
    ...joins('Bo', 'Cy'),
    ...[10, 20, 30].flatMap((minute) => [`${minute} Bo buys 1 Cy`, `${minute} Cy buys 1 Bo`]),
    ...Array.from({ length: 17 }, (_, i) => [`${100 + i} Bo buys 1 Cy`, `${200 + i} Cy buys 1 Bo`]).flat(),
  ],
  'wallets that trade the same at other times, each in the block of somebody else': [
    ...alike(['Bo', 'Cy'], 7),
    ...joins('M', 'N'),
    ...Array.from({ length: 10 }, (_, i) => [`${(i + 1) * DAY} Eve${i} buys 1 M`, `${(i + 1) * DAY + 7} Fay${i} buys 1 N`]).flat(),
  ],
};

describe('possible links', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  /** Stores the history of a script that ends now, scores its season, and finds the links. */
  async function play(lines: readonly string[]): Promise<void> {
    const { deps, clock } = world;
    await runSql(deps, 'truncate season, agent_season_points, unlinked_standing, linked_wallet, link_sign, agent, market cascade');
    await runSql(deps, 'truncate transaction, ticket_holding, wallet_ledger, fee_destination');
    const start = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS - 14 * DAY_MS;
    await deps.write((tx) => storeHistory(tx, scriptedSeason(lines, start)));
    await runSql(deps, 'insert into season (number, start_at, end_at) values (1, $1, $2)', [
      new Date(start),
      new Date(start + 28 * DAY_MS),
    ]);
    await scoreNow(deps);
    await updateLinks(deps);
  }
  const names = 'Ada Bo Cy Dot Eve Fay Gus Hal Vera Will Trader M N'.split(' ');
  const linksOf = async (name: string, query = ''): Promise<Json> =>
    (await world.ask('GET', `/api/agents/${walletOf(name)}/links${query}`)).body;
  const nameOf = (wallet: string) => names.find((name) => walletOf(name) === wallet) ?? wallet;
  async function found(): Promise<string[]> {
    const pairs = new Set<string>();
    for (const name of names) {
      const { links, total } = await linksOf(name);
      expect(total ?? 0, name).to.equal(links?.length ?? 0);
      for (const { walletAddress } of links ?? []) pairs.add([name, nameOf(walletAddress)].sort().join(' '));
    }
    return [...pairs].sort();
  }
  const standings = async (query = ''): Promise<Json[]> =>
    (await world.ask('GET', `/api/seasons/leaderboard${query}`)).body.leaderboard as Json[];
  const standingOf = async (name: string): Promise<Json> =>
    (await standings()).find(({ walletAddress }) => walletAddress === walletOf(name));

  for (const [what, { lines, links }] of Object.entries(rings)) {
    it(`find ${what}`, async () => {
      await play(lines);
      expect(await found()).to.deep.equal(links);
    });
  }

  for (const [what, lines] of Object.entries(innocent)) {
    it(`do not find ${what}`, async () => {
      await play(lines);
      expect(await found()).to.deep.equal([]);
      for (const { totalPoints, withoutLinks } of await standings()) {
        expect(withoutLinks).to.include({ totalPoints, linkedShare: 0, linkedWallets: 0 });
      }
    });
  }

  it('take the points of a ring of 100 wallets with a post each, and leave those of others', async () => {
    const ring = Array.from({ length: 100 }, (_, i) => [`${10 + i} R${i} joins by Ada`, `${200 + i} R${i} posts`]).flat();
    await play([...joins('Ada', 'Win', 'M'), ...ring, '500 Win buys 20 M', `${DAY} Win sells 5 M`, `${DAY} Win posts`]);
    const ada = await standingOf('Ada');
    expect(ada.rank).to.equal(1);
    expect(ada.totalPoints).to.be.above(1000);
    expect(ada.withoutLinks).to.include({ linkedWallets: 100 });
    expect(ada.withoutLinks.linkedShare).to.be.above(99);
    const [first] = await standings('?order=withoutLinks&limit=1');
    expect(first.walletAddress).to.equal(walletOf('M'));
    expect(first.totalPoints).to.equal(first.withoutLinks.totalPoints);
    const win = await standingOf('Win');
    expect(win.withoutLinks.totalPoints).to.equal(win.totalPoints);
    // All members are listed, in pages.
    const pages = await Promise.all([1, 2, 3].map((page) => linksOf('Ada', `?limit=40&page=${page}`)));
    expect(pages.map(({ links }) => links.length)).to.deep.equal([40, 40, 20]);
    expect(new Set(pages.flatMap(({ links }) => links.map((link: Json) => link.walletAddress)))).to.have.property('size', 100);
  });

  it('count a cluster as one owner of round trips', async () => {
    const lines = [...joins('Ada', 'Bo', 'Cy', 'Dot'), '5 Bo pays Cold', '6 Cy pays Cold'];
    const trips = ['10 Cy buys 4 Ada', `${DAY} Bo buys 4 Ada`, `${DAY + 10} Cy sells 4 Ada`, `${DAY + 20} Dot buys 1 Ada`];
    await play([...lines, ...trips]);
    const { withoutLinks } = await standingOf('Ada');
    // In units of 0.00002 ETH: 30 bought on the first day, 174 bought, 174 sold and 25 bought on the second one.
    const unit = 20_000_000_000_000n;
    expect(withoutLinks.volumeWei).to.equal(String(403n * unit));
    expect(withoutLinks.roundTripsWei).to.equal(String(348n * unit));
    expect(withoutLinks.organicVolumeWei).to.equal(String(55n * unit));
  });

  it('say why, in REST, GraphQL and MCP', async () => {
    await play([
      ...joins('Ada'),
      ...['10 Bo', '12 Cy', '15 Dot'].map((who) => `${who} joins by Ada`),
      '20 Bo pays Ada',
      '21 Cy pays Ada',
    ]);
    const { links, total, updatedAt } = await linksOf('Bo');
    expect({ total, updatedAt }).to.deep.equal({ total: 3, updatedAt: world.clock.now().toISOString() });
    const ada = walletOf('Ada').slice(2, 16);
    const said = (link: Json) => link.signs.map(({ kind, weight, text }: Json) => `${kind} ${weight}: ${text}`);
    const [first, cy] = [links[0], links.find(({ walletAddress }: Json) => walletAddress === walletOf('Cy'))];
    expect(said(first)).to.deep.equal([
      'feeDestination 1: It receives the fees of 2 linked wallets.',
      'registeredTogether 0.5: It referred 3 linked wallets, which registered one soon after another.',
    ]);
    expect(said(cy)).to.deep.equal([
      `feeDestination 1: Its fees go to ${ada}, like those of 1 more.`,
      'hardlyTraded 0.5: It has paid less than 0.001 ETH for tickets.',
      `registeredTogether 0.5: It registered within 10 minutes of another agent that ${ada} referred.`,
    ]);
    const query = `{ possibleLinks(agent: "${walletOf('Bo')}", first: 2) {
      totalCount pageInfo { endCursor hasNextPage } nodes { walletAddress agent { name } signs { kind weight about text } } } }`;
    const { possibleLinks } = await data(world, query);
    expect(possibleLinks).to.deep.include({ totalCount: 3 });
    expect(possibleLinks.pageInfo.hasNextPage).to.equal(true);
    expect(possibleLinks.nodes.map((node: Json) => node.walletAddress)).to.deep.equal(
      links.slice(0, 2).map((link: Json) => link.walletAddress),
    );
    expect(possibleLinks.nodes[0].signs[0]).to.include({ kind: 'FEE_DESTINATION', weight: 1, about: walletOf('Ada') });
    const rest = await data(world, query.replace('first: 2', `first: 2, after: "${possibleLinks.pageInfo.endCursor}"`));
    expect(rest.possibleLinks.nodes).to.have.length(1);
    const ranked = await data(
      world,
      '{ seasonLeaderboard(order: WITHOUT_LINKS, first: 4) { totalCount nodes { rank withoutLinks { rank linkedShare } } } }',
    );
    expect(ranked.seasonLeaderboard.totalCount).to.equal(4);
    expect(ranked.seasonLeaderboard.nodes.map(({ withoutLinks }: Json) => withoutLinks.rank)).to.deep.equal([1, 2, 3, 4]);
  });

  it('are not made of agents whose referrer was deleted', async () => {
    const siblings = ['10 Bo', '12 Cy', '15 Dot'].map((who) => `${who} joins by Ada`);
    await play([...joins('Ada', 'Eve'), ...siblings, ...['10 Fay', '12 Gus', '15 Hal'].map((who) => `${who} joins by Eve`)]);
    expect(await found()).to.have.length(12);
    await runSql(world.deps, 'delete from agent where wallet = any($1::varchar[])', [[walletOf('Ada'), walletOf('Eve')]]);
    world.clock.advance(1000);
    await scoreNow(world.deps);
    await updateLinks(world.deps);
    expect(await found()).to.deep.equal([]);
  });

  it('lose how an agent registered when it is deleted', async () => {
    await play(['0 Ada joins', '1 Bo joins by Ada', '2 Cy joins by Ada', '3 Dot joins by Ada']);
    const agent = await newAgent(world);
    await runSql(world.deps, 'update link_sign set about = $1', [agent.wallet]);
    await world.ask('DELETE', `/api/agents/${agent.wallet}`, { key: agent.key }).then(success);
    expect((await linksOf('Bo')).links[0].signs).to.deep.equal([]);
  });

  it('are null beside new points until they are computed again, also for a season that was frozen long ago', async () => {
    await play(joins('Ada', 'Bo'));
    expect((await standingOf('Ada')).withoutLinks).to.include({ linkedShare: 0 });
    world.clock.advance(1000);
    await scoreNow(world.deps);
    expect((await standingOf('Ada')).withoutLinks).to.equal(null);
    await runSql(world.deps, 'update season set frozen_at = $1', [new Date(world.clock.now().getTime() - 2 * DAY_MS)]);
    await updateLinks(world.deps);
    expect((await standingOf('Ada')).withoutLinks).to.equal(null);
  });

  it('are unknown before the first scoring, and are found at the next run after a failure', async () => {
    await play(joins('Ada', 'Bo'));
    await runSql(world.deps, 'truncate unlinked_standing');
    expect(await linksOf('Ada')).to.deep.include({ links: [], total: 0, updatedAt: null });
    expect((await standingOf('Ada')).withoutLinks).to.equal(null);
    expect(await standings('?order=withoutLinks')).to.deep.equal([]);
    await runSql(world.deps, 'alter table unlinked_standing add constraint never check (false)');
    try {
      world.clock.advance(1000);
      expect(await scoreNow(world.deps)).to.have.length(1);
      const failed = await updateLinks(world.deps).then(
        () => 'done',
        (error: Error) => error.message,
      );
      expect(failed).to.contain('never');
    } finally {
      await runSql(world.deps, 'alter table unlinked_standing drop constraint never');
    }
    await Promise.all([updateLinks(world.deps), updateLinks(world.deps)]);
    expect((await standingOf('Ada')).withoutLinks).to.include({ linkedWallets: 0 });
  });
});
