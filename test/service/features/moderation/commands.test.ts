import { expect } from 'chai';
import { refuseHidden } from '../../../../src/features/agents/hidden-profile.js';
import { type ModerationRequest, moderate, moderationRecord } from '../../../../src/features/moderation/moderate.js';
import { sqlIn } from '../../../../src/store/sql.js';
import { askAs, freshIp, newAgent, refusal, success, type TestAgent, writePost } from '../../../support/market/agents.js';
import { sendRegistration } from '../../../support/market/registrations.js';
import { randomTxHash } from '../../../support/market/rows.js';
import { outcomeOf } from '../../../support/refused.js';
import { query, refusalOf } from '../../../support/service/graphql.js';
import { failureOf, mcpClient } from '../../../support/service/mcp.js';
import { untilLocked } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const PICTURE = 'https://pictures.example/own.png';
const NEUTRAL = 'https://pictures.example/neutral.png';
const HIDDEN = '403 Hidden by the operator';

describe('moderation', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const act = (
    action: ModerationRequest['action'],
    target: ModerationRequest['target'],
    subject: string,
    given: Partial<ModerationRequest> = {},
  ) => moderate(world.deps, { action, target, subject, operator: 'ann', reason: 'A test', ...given });
  const send = (method: string, path: string, { key }: { key: string }, body?: unknown) =>
    world.ask(method, path, { key, body, headers: freshIp() });
  const profile = async (agent: TestAgent) => {
    const { body } = await world.ask('GET', `/api/agents/${agent.wallet}`, { headers: freshIp() });
    const { avatarUrl, description, bio } = body.agent as Record<string, unknown>;
    return { avatarUrl, description, bio };
  };
  const full = { avatarUrl: PICTURE, description: 'Looks ahead', bio: 'Since 2026' };
  const newAuthor = async () => {
    const author = await newAgent(world);
    await askAs(world, author, 'PATCH', '/api/agents/me', full);
    return author;
  };
  it('records who did what and why, without the content', async () => {
    const author = await newAuthor();
    const id = await writePost(world, author, 'Recorded');
    await act('hide', 'post', id, { operator: '  ann  ', reason: '<b>Spam</b>' });
    await act('hide', 'texts', author.name);
    await act('restore', 'post', id);
    await act('rename-avatar', 'avatar', author.wallet.toUpperCase().replace('X', 'x'), { avatarUrl: NEUTRAL });
    const rows = (await moderationRecord(world.deps, 4)).map(({ id: _, createdAt, ...row }) => {
      expect(createdAt).to.be.an.instanceOf(Date);
      return row;
    });
    const common = { agent: author.wallet, operator: 'ann', avatarUrl: null, reason: 'A test' };
    expect(rows).to.deep.equal([
      { ...common, action: 'rename-avatar', target: 'avatar', subject: author.wallet, avatarUrl: NEUTRAL },
      { ...common, action: 'restore', target: 'post', subject: id },
      { ...common, action: 'hide', target: 'texts', subject: author.wallet },
      { ...common, action: 'hide', target: 'post', subject: id, reason: 'Spam' },
    ]);
  });

  it('refuses unknown subjects, empty texts and pictures that agents may not use', async () => {
    const { wallet } = await newAuthor();
    const before = await moderationRecord(world.deps, 100);
    const refusals: [...Required<Parameters<typeof act>>, string][] = [
      ['hide', 'post', 'x', {}, 'Post not found'],
      ['hide', 'avatar', 'nobody', {}, 'Agent not found'],
      ['hide', 'avatar', wallet, { reason: ' ' }, 'Missing required field: reason'],
      ['hide', 'avatar', wallet, { reason: 'x'.repeat(201) }, 'reason is too long'],
      ['hide', 'avatar', wallet, { operator: '' }, 'Missing required field: operator'],
      ['hide', 'avatar', wallet, { operator: 'x'.repeat(65) }, 'operator is too long'],
      ['rename-avatar', 'avatar', wallet, {}, 'Avatar URL must use HTTPS'],
      ['rename-avatar', 'avatar', wallet, { avatarUrl: 'https://10.0.0.1/x.png' }, 'Avatar URL is not allowed'],
      ['rename-avatar', 'texts', wallet, { avatarUrl: NEUTRAL }, 'target is not valid'],
    ];
    for (const [action, target, subject, given, message] of refusals) {
      expect(await outcomeOf(act(action, target, subject, given))).to.equal(message);
    }
    expect(await moderationRecord(world.deps, 100)).to.deep.equal(before);
  });

  it('replaces an avatar, and brings the first one back', async () => {
    const author = await newAuthor();
    await act('rename-avatar', 'avatar', author.agentId, { avatarUrl: NEUTRAL });
    expect((await profile(author)).avatarUrl).to.equal(NEUTRAL);
    await act('hide', 'avatar', author.agentId);
    expect((await profile(author)).avatarUrl).to.equal(null);
    await act('rename-avatar', 'avatar', author.agentId, { avatarUrl: `${NEUTRAL}?2` });
    await act('restore', 'avatar', author.agentId);
    expect(await profile(author)).to.deep.equal(full);
  });

  it('refuses new texts of an agent while its texts are hidden, and new pictures while its avatar is', async () => {
    const author = await newAuthor();
    const other = await newAgent(world);
    const { hash } = await author.trader.buy(other.wallet, 1);
    const trade = { txHash: hash, agentAddress: other.wallet, amount: 1 };
    await act('hide', 'texts', author.agentId);
    const patch = (body: object) => send('PATCH', '/api/agents/me', author, body);
    const refused = [
      await send('POST', '/api/feed', author, { text: 'Again' }),
      await patch({ description: 'Again' }),
      await patch({ bio: 'Again', avatarUrl: `${PICTURE}?2` }),
      await send('POST', '/api/tickets/buy', author, { ...trade, thesis: 'Again' }),
    ];
    expect(refused.map(refusal)).to.deep.equal(Array(4).fill(HIDDEN));
    expect(String(refused[0]?.body.hint)).to.include('the texts of this agent');
    const posted = await query(world, 'mutation { post(text: "Again") { id } }', { key: author.key });
    expect(refusalOf(posted)).to.equal('200 CONTENT_HIDDEN');
    const client = await mcpClient(world, { key: author.key });
    expect(await failureOf(client, 'post', { text: 'Again' })).to.equal(HIDDEN);
    expect((await send('POST', '/api/tickets/buy', author, trade)).status).to.equal(201);
    // This succeeds: only the texts are hidden.
    expect(refusal(await patch({ avatarUrl: `${PICTURE}?2` }))).to.equal('200 undefined');
    await act('hide', 'avatar', author.agentId);
    expect(refusal(await patch({ avatarUrl: `${PICTURE}?3` }))).to.equal(HIDDEN);
    await act('restore', 'avatar', author.agentId);
    await act('restore', 'texts', author.agentId);
    expect(await profile(author)).to.deep.equal({ ...full, avatarUrl: `${PICTURE}?2` });
    expect((await send('POST', '/api/feed', author, { text: 'Again' })).status).to.equal(201);
  });

  it('does not bring back what the agent has cleared while it was hidden', async () => {
    const author = await newAuthor();
    await act('hide', 'texts', author.agentId);
    await act('hide', 'avatar', author.agentId);
    await askAs(world, author, 'PATCH', '/api/agents/me', { description: null, avatarUrl: '' });
    await act('restore', 'texts', author.agentId);
    await act('restore', 'avatar', author.agentId);
    expect(await profile(author)).to.deep.equal({ avatarUrl: null, description: null, bio: full.bio });
  });

  it('outlives the deletion of the agent, without its content, until a restore, which needs no profile', async () => {
    const author = await newAuthor();
    await act('hide', 'texts', author.agentId);
    await act('hide', 'avatar', author.agentId);
    await askAs(world, author, 'DELETE', '/api/agents/me');
    const left = await world.deps.sql(
      'select part, avatar_url, description, bio from hidden_profile where wallet = $1 order by part',
      [author.wallet],
    );
    const nothing = { avatar_url: null, description: null, bio: null };
    expect(left).to.deep.equal([
      { part: 'avatar', ...nothing },
      { part: 'texts', ...nothing },
    ]);
    const body = { name: author.name, walletAddress: author.wallet };
    const register = (given: object) => sendRegistration(world, { ...body, ...given });
    for (const given of [{ description: 'Again' }, { avatarUrl: PICTURE }]) {
      expect(refusal(await register(given))).to.equal(HIDDEN);
    }
    expect(await act('restore', 'avatar', author.wallet)).to.deep.equal({ changed: true, agent: author.wallet });
    const key = String(success(await register({})).apiKey);
    expect(refusal(await send('POST', '/api/feed', { key }, { text: 'Again' }))).to.equal(HIDDEN);
    await act('restore', 'texts', author.wallet);
    expect((await send('POST', '/api/feed', { key }, { text: 'Again' })).status).to.equal(201);
    await askAs(world, { key }, 'DELETE', '/api/agents/me');
    expect(await outcomeOf(act('restore', 'texts', author.wallet))).to.equal('Agent not found');
  });

  it('tells the author the reason, and deletes only the notifications about reactions to a hidden post', async () => {
    const [author, reader] = [await newAuthor(), await newAgent(world)];
    const ids = [await writePost(world, author, 'One'), await writePost(world, author, 'Two')];
    for (const id of ids) for (const what of ['like', 'repost']) await askAs(world, reader, 'POST', `/api/feed/${id}/${what}`);
    const told = async () => {
      const { notifications } = await askAs(world, author, 'GET', '/api/notifications');
      return (notifications as Record<string, object>[]).map(({ type, message, data }) => ({ type, message, ...data }));
    };
    const ofAct = { type: 'MODERATED', target: 'post', reason: 'A test', postId: ids[0] };
    const hidden = { ...ofAct, action: 'hide', message: 'The operator has hidden your post: A test' };
    const likes = (await told()).filter((notice) => 'postId' in notice && notice.postId === ids[1]);
    expect(likes.map(({ type }) => type as unknown)).to.deep.equal(['POST_REPOSTED', 'POST_LIKED']);
    await act('hide', 'post', ids[0] ?? '');
    expect(await told()).to.deep.equal([hidden, ...likes]);
    await act('restore', 'post', ids[0] ?? '');
    const message = 'The operator has restored your post: A test';
    expect(await told()).to.deep.equal([{ ...ofAct, action: 'restore', message }, hidden, ...likes]);
  });

  it('waits for a running write of the agent, and hides its result, too', async () => {
    const author = await newAuthor();
    const txHash = randomTxHash();
    let hidden: Promise<unknown> = Promise.resolve();
    await world.deps.write(async (tx) => {
      // This transaction takes the lock that the command also needs, and then stores a thesis. So the command must wait for it.
      await refuseHidden(tx, author.wallet, { texts: ['Late'] });
      hidden = act('hide', 'texts', author.agentId);
      await untilLocked(world.deps);
      const thesis = [txHash, author.wallet, 'Late', world.clock.now()];
      await sqlIn(tx)('insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, 0, $2, $3, $4)', thesis);
    });
    await hidden;
    const [record] = await world.deps.sql('select hidden from thesis where tx_hash = $1', [txHash]);
    expect(record).to.deep.equal({ hidden: true });
  });
});
