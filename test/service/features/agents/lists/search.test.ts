import { expect } from 'chai';
import { success } from '../../../../support/market/agents.js';
import { addListedAgent, addMarket, randomWallet } from '../../../../support/market/rows.js';
import { data, query } from '../../../../support/service/graphql.js';
import { runSql } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

type Card = { readonly name: string; readonly walletAddress: string };
const WALLET = '0xabcdef12345678900987654321fedcba00000001';

describe('a search', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const rest = async (q: string, limit = 20) =>
    success(await world.ask('GET', `/api/search?${new URLSearchParams({ q, limit: String(limit) })}`));
  /** The names that GraphQL finds with `similar: true`. Without it, GraphQL and REST must find nothing. */
  const similar = async (q: string): Promise<string[]> => {
    const text = 'query ($q: String!) { search(q: $q, similar: true) { totalCount nodes { name } } }';
    const { search } = await data(world, text, { variables: { q } });
    expect(search.totalCount, q).to.equal(search.nodes.length);
    expect(await names(q), q).to.deep.equal([]);
    return search.nodes.map(({ name }: Card) => name);
  };
  /** The names that a search finds. REST and GraphQL must find the same ones, and count as many. */
  const names = async (q: string): Promise<string[]> => {
    const { agents, total } = await rest(q);
    const found = (agents as Card[]).map(({ name }) => name);
    const { search } = await data(world, 'query ($q: String!) { search(q: $q) { totalCount nodes { name } } }', {
      variables: { q },
    });
    expect([search.totalCount, search.nodes], q).to.deep.equal([total, found.map((name) => ({ name }))]);
    expect(total, q).to.equal(found.length);
    return found;
  };
  const claim = (wallet: string, handle: string) =>
    runSql(
      world.deps,
      `update agent set social_handle = $2, claimed_at = created_at, claim_post_id = right(wallet, 20)
       where wallet = $1`,
      [wallet, handle],
    );

  before(async () => {
    await addListedAgent(world, { name: 'Otter', wallet: WALLET });
    await addListedAgent(world, { name: '0xABCDEF' });
    const heron = await addListedAgent(world, { name: 'Quick Heron' });
    const raven = await addListedAgent(world, { name: 'Raven' });
    for (const name of ['Keeper', 'The Keeper']) await addListedAgent(world, { name });
    for (const name of ['Robots', 'Robot', 'Roboti', 'Rabot', 'Rboot', 'Rob']) await addListedAgent(world, { name });
    await claim(heron.wallet, 'Keeper');
    await claim(raven.wallet, 'keeper_of_X');
    // This wallet has a market but no profile, so no search may find it.
    await addMarket(world, WALLET.replace(/1$/, '2'), { name: 'Nobody', agentId: 'nobody' });
  });

  it('finds an agent by its wallet address, in any case', async () => {
    expect(await names(WALLET)).to.deep.equal(['Otter']);
    expect(await names(WALLET.toUpperCase().replace('0X', '0x'))).to.deep.equal(['Otter']);
    for (const nobody of [WALLET.replace(/1$/, '2'), randomWallet(), `${WALLET}0`]) {
      expect(await names(nobody)).to.deep.equal([]);
    }
  });

  it('finds agents by 0x and at least 4 digits of their address, after names that start with the text', async () => {
    expect(await names(WALLET.slice(0, 41))).to.deep.equal(['Otter']);
    expect(await names('0xAbCdE')).to.deep.equal(['0xABCDEF', 'Otter']);
    expect(await names('0xabcd')).to.deep.equal(['0xABCDEF', 'Otter']);
    expect(await names('0xabc')).to.deep.equal(['0xABCDEF']);
    expect(await names('bcdef123')).to.deep.equal([]);
    expect(await similar('0xabcdeg')).to.deep.equal(['0xABCDEF']);
  });

  it('finds nothing similar to an address, because it would mislead', async () => {
    expect(await similar('0xabcdee')).to.deep.equal([]);
  });

  it('takes the text after @ as a part of a name or as the whole handle of an owner, in any case', async () => {
    expect(await names('@Raven')).to.deep.equal(['Raven']);
    expect(await names('@quick h')).to.deep.equal(['Quick Heron']);
    expect(await names('@KEEPER')).to.deep.equal(['Keeper', 'Quick Heron', 'The Keeper']);
    expect(await names('@keeper_of_x')).to.deep.equal(['Raven']);
    // Only a text with @ is compared with handles, and it must be a whole handle.
    expect(await names('keeper')).to.deep.equal(['Keeper', 'The Keeper']);
    expect(await names('@keeper_of')).to.deep.equal([]);
    expect(await similar('@ravne')).to.deep.equal(['Raven']);
  });

  it('tolerates one typing error in 4 to 7 letters, and two in 8 or more', async () => {
    for (const q of ['ottar', 'Oter', 'ottter', 'otetr', 'toter', 'otterx']) {
      expect(await similar(q), q).to.deep.equal(['Otter']);
    }
    for (const q of ['otar', 'toetr', 'ott!r!']) expect(await similar(q), q).to.deep.equal([]);
    for (const q of ['qick heron', 'quick_hreno', 'uqick heorn', 'quickheronn', 'qu1ck her0n']) {
      expect(await similar(q), q).to.deep.equal(['Quick Heron']);
    }
    for (const q of ['qu1ck h3r0n', 'kciuq heron', 'heronquick']) expect(await similar(q), q).to.deep.equal([]);
    // Texts of fewer than 4 letters find no similar name, because almost all short names resemble each other.
    expect(await similar('rub')).to.deep.equal([]);
  });

  it('lists similar names only if no name contains the text, nearest first, then by agentId', async () => {
    expect(await names('robot')).to.deep.equal(['Robot', 'Roboti', 'Robots']);
    expect(await similar('robut')).to.deep.equal(['Robot']);
    expect(await similar('robotx')).to.deep.equal(['Robot', 'Roboti', 'Robots']);
    expect(await similar('rbot')).to.deep.equal(['Rabot', 'Rboot', 'Robot']);
  });

  it('pages through similar names, with the same total on all pages', async () => {
    const page = `query ($after: String) { search(q: "rbot", similar: true, first: 1, after: $after) {
      totalCount nodes { name } pageInfo { endCursor hasNextPage } } }`;
    const seen: string[] = [];
    let after: string | null = null;
    for (const hasNextPage of [true, true, false]) {
      const { search } = await data(world, page, { variables: { after } });
      expect([search.totalCount, search.pageInfo.hasNextPage]).to.deep.equal([3, hasNextPage]);
      seen.push(...search.nodes.map(({ name }: Card) => name));
      after = search.pageInfo.endCursor;
    }
    expect(seen).to.deep.equal(['Rabot', 'Rboot', 'Robot']);
    const { search } = await data(world, page, { variables: { after } });
    expect([search.totalCount, search.nodes, search.pageInfo.hasNextPage]).to.deep.equal([3, [], false]);
  });

  it('adds no similar names after the last page of names that contain the text', async () => {
    const page = `query ($after: String) { search(q: "robots", similar: true, first: 1, after: $after) {
      totalCount nodes { name } pageInfo { endCursor } } }`;
    const { search } = await data(world, page);
    expect(search.nodes).to.deep.equal([{ name: 'Robots' }]);
    const after = search.pageInfo.endCursor;
    expect((await data(world, page, { variables: { after } })).search).to.deep.include({ totalCount: 1, nodes: [] });
  });

  it('returns no similar names after their cursor unless the caller asks for them', async () => {
    const from = await data(world, '{ search(q: "rbot", similar: true, first: 1) { pageInfo { endCursor } } }');
    const text = 'query ($after: String) { search(q: "rbot", after: $after) { totalCount nodes { name } } }';
    const { search } = await data(world, text, { variables: { after: from.search.pageInfo.endCursor } });
    expect(search).to.deep.equal({ totalCount: 0, nodes: [] });
  });

  it('refuses a cursor of another form', async () => {
    const after = Buffer.from(JSON.stringify(['near', 'robot'])).toString('base64url');
    const { errors } = await query(world, `{ search(q: "rbot", similar: true, after: "${after}") { totalCount } }`);
    expect(errors[0]?.extensions.code).to.equal('INVALID_FIELD');
  });

  it('lists and counts at most 50 similar names, nearest first', async () => {
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      for (const name of [`Mackerel${letter}`, `Mackerl${letter}`]) await addListedAgent(world, { name });
    }
    const text = '{ search(q: "mackerl!", similar: true, first: 50) { totalCount nodes { name } } }';
    const { search } = await data(world, text);
    const found: string[] = search.nodes.map(({ name }: Card) => name);
    expect([found.length, search.totalCount]).to.deep.equal([50, 50]);
    // The names with one edit come first, those with two edits follow.
    expect(found.slice(0, 26).every((name) => name.startsWith('Mackerl'))).to.equal(true);
  });
});
