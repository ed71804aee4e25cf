import { expect } from 'chai';
import { hashKey } from '../../../src/keys.js';
import { isProbe } from '../../../src/server/rate-limits.js';
import { freshIp } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { answerOf, type GraphAnswer } from '../../support/service/graphql.js';
import { overStream } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { type Answer, useWorld } from '../../support/world.js';
import { type FieldPath, fieldPaths } from './support/field-paths.js';
import { schema } from './support/graphql-documents.js';
import { type Member, Population } from './support/population.js';
import { type Operation, operations } from './support/rest-requests.js';
import { markUnread, ownedRows, type Victim, victimOf } from './support/victim.js';

/**
 * Whether a root field of GraphQL needs a key. `fullPnl` needs a key, too, although it is a field of a type that everybody may
 * read.
 */
const needsKey = (description: string | null | undefined): boolean => /Requires an API key/.test(description ?? '');

describe('an attacker with the key of another agent, of a deleted agent or no key', function () {
  this.timeout(600_000);
  const world = useWorld({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let population: Population;
  let victim: Victim;
  let attacker: Member;
  let stranger: Member;
  /** An agent that deletes itself when the test calls `DELETE /api/agents/me` with its key. */
  let leaver: Member;
  let deletedKey: string;
  /** The rows of the victim before the first request. `afterEach` compares them with the rows after each request. */
  let before_: string[];
  let since: Date;

  before(async () => {
    population = await Population.create(world, 9);
    victim = await victimOf(world, population);
    const others = population.members.filter(({ wallet }) => wallet !== victim.wallet);
    [attacker, stranger] = others.slice(-2) as [Member, Member];
    // No row of the victim refers to `leaver`, so the deletion of `leaver` does not change the rows of the victim.
    leaver = others.at(-3) as Member;
    const [removed] = others as [Member];
    deletedKey = removed.key;
    await population.remove(removed);
    await markUnread(world, victim.wallet);
    since = world.clock.now();
    world.clock.advance(1);
    before_ = await ownedRows(world, victim.wallet, since);
  });
  /** No request of this file may change the rows of the victim. `leak` finds its secrets in the answers. */
  afterEach(async () => {
    expect(await ownedRows(world, victim.wallet, since)).to.deep.equal(before_);
  });

  /**
   * The secret that an answer must not contain. undefined if there is none. Requests send the code of the victim, so it may come
   * back.
   */
  const leak = (text: string, caller?: Member) => population.secrets.foundIn(text, caller?.wallet, victim.code);

  describe('over REST', () => {
    /** The path, query and body of an operation, filled with the ids of the victim. */
    function aboutVictim({ path, parameters, body }: Operation): { path: string; body: unknown } {
      const values: Record<string, string> = {
        address: victim.wallet,
        agent: victim.wallet,
        agentAddress: victim.wallet,
        walletAddress: victim.wallet,
        targetAddress: victim.wallet,
        agentId: victim.agentId,
        name: victim.name,
        id: victim.post,
        q: victim.name,
        txHash: victim.trade,
        action: 'buy',
        amount: '1',
        code: victim.code,
        verificationCode: victim.code,
        tweetUrl: 'https://x.com/thief/status/1',
        text: 'A text of the attacker',
        nonce: 'a-nonce-of-the-attacker',
        signature: `0x${'5d'.repeat(64)}1b`,
        signedAt: since.toISOString(),
        handle: 'thief',
        method: 'eth_chainId',
      };
      const given = ({ in: place, name, required }: Operation['parameters'][number]) =>
        place === 'query' && (required || ['agent', 'agentAddress', 'holderAddress'].includes(name)) && name in values;
      const query = new URLSearchParams(parameters.filter(given).map(({ name }) => [name, values[name] as string]));
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
      const required = (body?.required ?? []).map((name) => [name, name === 'amount' ? 1 : values[name]] as const);
      const whole = query.size === 0 ? filled : `${filled}?${query}`;
      return { path: whole, body: body && Object.fromEntries(required) };
    }
    const ask = (operation: Operation, key?: string): Promise<Answer> => {
      const { path, body } = aboutVictim(operation);
      return world.ask(operation.method, path, { body, headers: freshIp(), ...(key === undefined ? {} : { key }) });
    };

    for (const operation of operations()) {
      const { method, path } = operation;
      it(`learns and changes nothing of the victim by ${method} ${path}`, async () => {
        const nobody = await ask(operation);
        expect(nobody.body.error === 'Missing API key', 'whether it needs a key').to.equal(operation.needsKey);
        const deleted = await ask(operation, deletedKey);
        expect(deleted.status, 'status for the key of a deleted agent').to.equal(isProbe(path) ? 200 : 401);
        const member = method === 'DELETE' && path === '/api/agents/me' ? leaver : attacker;
        const thief = await ask(operation, member.key);
        for (const [answer, caller] of [[nobody], [deleted], [thief, member]] as const) {
          expect(answer.status).to.be.below(500);
          expect(leak(JSON.stringify(answer.body), caller)).to.equal(undefined);
        }
        // A public answer about the victim is the same for every caller. So the attacker must see no more than the stranger does.
        if (method !== 'GET' || operation.needsKey) return;
        const other = await ask(operation, stranger.key);
        expect(timeless(thief.body)).to.deep.equal(timeless(other.body));
      });
    }
  });

  describe('over GraphQL', () => {
    const ask = async (document: string, key?: string): Promise<GraphAnswer> => {
      const options = { body: { query: document }, headers: freshIp(), ...(key === undefined ? {} : { key }) };
      return answerOf(await world.ask('POST', '/graphql', options));
    };
    const codes = ({ errors }: GraphAnswer): unknown[] => errors.map(({ extensions }) => extensions.code);

    /** Writes an argument as a literal of GraphQL that refers to the victim. */
    function literalOf(name: string, type: string): string {
      if (type === 'Address') return JSON.stringify(victim.wallet);
      if (type === 'Hash') return JSON.stringify(victim.trade);
      if (type === 'Int') return '1';
      if (/agentId/.test(name)) return JSON.stringify(victim.agentId);
      if (/^(agent|address)$/.test(name)) return JSON.stringify(victim.wallet);
      if (name === 'postId') return JSON.stringify(victim.post);
      if (/code/i.test(name)) return JSON.stringify(victim.code);
      if (name === 'tweetUrl') return JSON.stringify('https://x.com/thief/status/1');
      return JSON.stringify(victim.name);
    }

    async function tryField({ name, root, document }: FieldPath): Promise<void> {
      const label = `${name} by ${document}`;
      const [nobody, deleted, thief] = [await ask(document), await ask(document, deletedKey), await ask(document, attacker.key)];
      expect(codes(nobody).includes('MISSING_KEY'), `${label} without a key`).to.equal(
        needsKey(root.description) || document.includes('fullPnl'),
      );
      expect(codes(deleted), label).to.deep.equal(['INVALID_KEY']);
      expect(deleted.data, label).to.be.oneOf([undefined, null]);
      for (const [answer, caller] of [[nobody], [deleted], [thief, attacker]] as const) {
        expect(codes(answer), label).not.to.include('INTERNAL');
        expect(leak(JSON.stringify([answer.data, answer.errors]), caller), label).to.equal(undefined);
      }
    }

    for (const [operation, least] of [
      ['query', 200],
      ['mutation', 20],
    ] as const) {
      it(`learns and changes nothing of the victim by any field that a ${operation} reaches`, async () => {
        const paths = fieldPaths(operation, literalOf);
        for (const path of paths) await tryField(path);
        print(`${paths.length} fields`);
        expect(paths.length).to.be.greaterThan(least);
      });
    }

    for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
      it(`cannot open the subscription ${field.name} with a deleted key, or without a key that it needs`, async () => {
        const document = `subscription { ${field.name} { sequence } }`;
        const nobody = await overStream(world.url, document);
        if (needsKey(field.description)) await eventually(() => nobody.errors.length > 0, 'no refusal arrived');
        expect(nobody.errors[0]?.extensions.code).to.equal(needsKey(field.description) ? 'MISSING_KEY' : undefined);
        nobody.cut();
        const deleted = await overStream(world.url, document, { key: deletedKey });
        await eventually(() => deleted.errors.length > 0, 'no refusal arrived');
        expect(deleted.errors[0].extensions.code).to.equal('INVALID_KEY');
        deleted.cut();
      });
    }
  });

  it('is not authenticated by the hash of a key, a wallet or a verification code', async () => {
    for (const key of [
      victim.code,
      victim.wallet,
      hashKey(victim.key).toString('hex'),
      hashKey(victim.key).toString('base64url'),
    ]) {
      expect((await world.ask('GET', '/api/agents/me', { key, headers: freshIp() })).status).to.equal(401);
    }
  });
});

/** The body without fields whose values change with time, so that two answers can be compared. */
function timeless(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value) => (/(At|Seconds|timestamp|time)$/i.test(name) ? undefined : value)));
}
