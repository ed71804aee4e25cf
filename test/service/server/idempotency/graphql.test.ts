import { deserialize, serialize } from 'node:v8';
import { expect } from 'chai';
import { type GraphQLInputObjectType, isNonNullType } from 'graphql';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { hashKey } from '../../../../src/keys.js';
import { fingerprintsOf, seal, unseal } from '../../../../src/server/idempotency/keys.js';
import { freshIp } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { documentOf, mutations } from '../../../support/operations/ways.js';
import { argumentsOf, type Write, writes } from '../../../support/operations/writes.js';
import { data, query, refusalOf } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

/**
 * The names of the values that version 0.2 stored for a mutation, if they differ from those of today. undefined if it stored no
 * values.
 */
const storedBefore: Readonly<Record<string, readonly string[] | undefined>> = {
  registerAgent: ['wallet', 'name', 'agentId', 'apiKey', 'verificationCode', 'claimUrl', 'createdAt'],
  verifyAgent: ['wallet'],
  dropClaim: undefined,
  updateMe: [],
  post: ['id', 'text', 'createdAt'],
};

type Row = { readonly answer: Uint8Array };

describe('idempotencyKey of a mutation', () => {
  const world = useWorld({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1' });
  /** Moves the clock by more than an hour, so that no test meets the rate limits that the one before used up. */
  beforeEach(() => world.clock.advance(3_700_000));

  /**
   * Sends a document and returns the answer without its cost, which a replay may have at another amount. `header` tells whether the
   * answer is a replay.
   */
  async function send(text: string, { key, variables = {}, headers = freshIp() }: Sent) {
    const answer = await world.ask('POST', '/graphql', { key, headers, body: { query: text, variables } });
    const { cost, ...extensions } = (answer.body.extensions ?? {}) as { readonly cost?: object };
    const body: Record<string, unknown> = { ...answer.body, extensions };
    return { ...answer, body, header: answer.headers.get('idempotent-replayed') };
  }
  type Sent = { key?: string | undefined; variables?: Record<string, unknown>; headers?: Record<string, string> };

  it('is an optional argument of every mutation', () => {
    const own = mutations.post?.args.find(({ name }) => name === 'idempotencyKey');
    expect(own?.description).to.include('visible ASCII characters');
    for (const [name, { args }] of Object.entries(mutations)) {
      const { type, description } = args.find((one) => one.name === 'idempotencyKey') ?? {};
      expect([isNonNullType(type), description], name).to.deep.equal([false, own?.description]);
    }
  });

  for (const write of writes.filter(({ mutation }) => mutation in storedBefore)) {
    const { mutation, selection } = write;
    it(`replays a result of ${mutation} that a replica of version 0.2 stored`, async () => {
      const { key, input } = await write.prepare(world);
      const headers = freshIp();
      const sent = { key, headers, variables: { ...argumentsOf(write, input), idempotencyKey: 'old' } };
      const first = await send(documentOf(mutation, selection), sent);
      const caller = key ? `key ${hashKey(key).toString('hex')}` : `ip ${headers['x-forwarded-for']}`;
      const keyed = { key: 'old', caller, operation: `mutation ${mutation}`, content: '' };
      const fingerprints = fingerprintsOf(world.deps.secretKey, keyed);
      const [row] = await world.deps.sql<Row>('select answer from idempotent_write where id = $1', [fingerprints.id]);
      const result = deserialize(unseal(fingerprints, Buffer.from((row as Row).answer)));
      const older = storedBefore[mutation]?.map((name) => [name, result[name]]);
      const answer = seal(fingerprints, serialize(older && Object.fromEntries(older)));
      await runSql(world.deps, 'update idempotent_write set answer = $2 where id = $1', [fingerprints.id, answer]);
      const again = await send(documentOf(mutation, selection), sent);
      expect(again.body).to.deep.equal({ data: first.body.data, extensions: { idempotentReplayed: [mutation] } });
    });
  }

  it('is stored with the same content as in version 0.3, in which the last argument comes first', async () => {
    const byName = Object.fromEntries(writes.map((write) => [write.mutation, write]));
    const states = { toggleFollow: 'following', toggleLike: 'liked', toggleRepost: 'reposted' };
    for (const name of [...Object.keys(states), 'verifyAgent']) {
      const write = byName[name] as Write;
      const { key = '', input } = await write.prepare(world);
      const state = states[name as keyof typeof states];
      const variables = { ...input, ...(state && { [state]: true }), idempotencyKey: 'ordered' };
      await data(world, documentOf(name, write.selection), { key, variables, headers: freshIp() });
      const { verificationCode, tweetUrl, targetAddress, postId } = variables as Record<string, unknown>;
      const content = {
        toggleFollow: `{"following":true,"targetAddress":"${targetAddress}"}`,
        toggleLike: `{"liked":true,"postId":"${postId}"}`,
        toggleRepost: `{"reposted":true,"postId":"${postId}"}`,
        verifyAgent: `{"tweetUrl":"${tweetUrl}","verificationCode":"${verificationCode}"}`,
      }[name] as string;
      const caller = `key ${hashKey(key).toString('hex')}`;
      const fingerprints = fingerprintsOf(world.deps.secretKey, {
        key: 'ordered',
        caller,
        operation: `mutation ${name}`,
        content,
      });
      const [row] = await world.deps.sql<{ content: Uint8Array }>('select content from idempotent_write where id = $1', [
        fingerprints.id,
      ]);
      expect(Buffer.from((row as { content: Uint8Array }).content).equals(fingerprints.content), name).to.equal(true);
    }
  });

  it('covers the fields of input objects, whose order is still that of version 0.3, with new fields at the end', () => {
    const schema = graphqlSchema({ KEY_REPLACEMENT: 'on' });
    const fieldsOf = (name: string) => Object.keys((schema.getType(name) as GraphQLInputObjectType).getFields()).join(' ');
    expect({
      RegisterAgentInput: fieldsOf('RegisterAgentInput'),
      UpdateMeInput: fieldsOf('UpdateMeInput'),
      TradeInput: fieldsOf('TradeInput'),
      ReplaceKeyInput: fieldsOf('ReplaceKeyInput'),
    }).to.deep.equal({
      RegisterAgentInput: 'name walletAddress txHash description avatarUrl referredBy signature signedAt',
      UpdateMeInput: 'description bio avatarUrl referredBy identity',
      TradeInput: 'txHash agentAddress amount thesis confidence',
      ReplaceKeyInput: 'walletAddress signature signedAt nonce',
    });
  });

  it('belongs to one mutation of a document, whose answer names the replayed mutations', async () => {
    const [{ key }, target] = [await addListedAgent(world), await addListedAgent(world)];
    const follow = (name: string, idempotencyKey: string) =>
      `${name}: toggleFollow(targetAddress: "${target.wallet}", idempotencyKey: "${idempotencyKey}") { following followerCount }`;
    const first = await data(world, `mutation { ${follow('a', 'one')} ${follow('b', 'two')} }`, { key });
    expect(first).to.deep.equal({
      a: { following: true, followerCount: 1 },
      b: { following: false, followerCount: 0 },
    });
    const toggle = `toggleFollow(targetAddress: "${target.wallet}") { following followerCount }`;
    const text = `mutation { ${follow('b', 'two')} ${follow('c', 'three')} ${toggle} ${follow('a', 'one')} ${follow('d', 'three')} }`;
    const { body } = await send(text, { key });
    expect(body).to.deep.equal({
      data: {
        b: { following: false, followerCount: 0 },
        c: { following: true, followerCount: 1 },
        toggleFollow: { following: false, followerCount: 0 },
        a: { following: true, followerCount: 1 },
        d: { following: true, followerCount: 1 },
      },
      extensions: { idempotentReplayed: ['b', 'a', 'd'] },
    });
  });

  it('is not shared with REST', async () => {
    const { key } = await addListedAgent(world);
    const body = { text: 'On both APIs' };
    const headers = { 'idempotency-key': 'shared' };
    expect((await world.ask('POST', '/api/feed', { key, body, headers })).status).to.equal(201);
    const mutation = 'mutation { post(text: "On both APIs", idempotencyKey: "shared") { id } }';
    expect(refusalOf(await query(world, mutation, { key }))).to.equal('200 DUPLICATE_POST');
  });

  it('is refused if it is malformed, and ignored if it is null', async () => {
    const { key } = await addListedAgent(world);
    const text = 'mutation ($given: String) { post(text: "Hi", idempotencyKey: $given) { text } }';
    const answer = await query(world, text, { key, variables: { given: 'a b' } });
    expect(refusalOf(answer)).to.equal('200 INVALID_FIELD');
    expect(answer.errors[0]?.message).to.equal('idempotencyKey is not valid');
    expect((await data(world, text, { key, variables: { given: null } })).post.text).to.equal('Hi');
  });
});
