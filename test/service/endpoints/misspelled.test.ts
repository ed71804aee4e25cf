import { expect } from 'chai';
import { z } from 'zod';
import { baseOf, resembles } from '../../../src/server/inputs.js';
import type { Endpoint } from '../../../src/server/operation.js';
import { freshIp, refusal } from '../../support/market/agents.js';
import { addListedAgent } from '../../support/market/rows.js';
import { createScene, declared, EXTRA, nameOf, requestOf, type Scene } from '../../support/service/samples.js';
import { useWorld } from '../../support/world.js';

/** Names that clients, proxies and trackers add, and that no field resembles. */
const UNRELATED = [
  '_',
  't',
  'ts',
  'v',
  'x',
  'cb',
  'rnd',
  'id1',
  'utm_source',
  'utm_medium',
  'fbclid',
  'gclid',
  'cacheBuster',
  'foo',
  'bar',
  'lang',
  'format',
  'client',
  'version',
  'memo',
  'metadata',
  'unknown',
  'constructor',
  '__proto__',
];

/** The fields of query and body. Immutable fields of a profile are left out: they are declared only to be refused (`ZodNever`). */
const fieldsOf = ({ query, body }: Endpoint): string[] =>
  Object.entries<z.ZodType>({ ...query?.shape, ...body?.shape })
    .filter(([, field]) => !(baseOf(field) instanceof z.ZodNever))
    .map(([name]) => name);

/** All texts that lack one letter of the name. */
const withoutOne = (name: string): string[] => [
  ...new Set([...name].map((_, i) => name.slice(0, i) + name.slice(i + 1)).filter(Boolean)),
];

describe('a parameter that no operation declares', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let scene: Scene;
  let agent: { readonly wallet: string; readonly key: string };
  before(async () => {
    scene = await createScene(world);
    agent = await addListedAgent(world);
  });

  /** Sends the example request of the endpoint with these values, and without the field `left`. */
  const ask = (one: Endpoint, values: Readonly<Record<string, unknown>>, left?: string) => {
    const { url, body } = requestOf(one, scene, { world, wallet: agent.wallet });
    // Some endpoints ignore parameters unless an agent asks about itself. For these, the path names the agent of the key.
    const [path = '', search] = (one.ignored ? url.replace('/scout/', `/${agent.wallet}/`) : url).split('?');
    const query = new URLSearchParams(search);
    const entries = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
    for (const [name, value] of one.body ? [] : entries) query.append(name, value);
    const sent: Record<string, unknown> = { ...body, ...Object.fromEntries(Object.entries(values)) };
    if (left !== undefined) {
      query.delete(left);
      delete sent[left];
    }
    return world.ask(one.method, query.size > 0 ? `${path}?${query}` : path, {
      headers: freshIp(),
      ...(one.body && { body: sent }),
      ...((one.auth === 'required' || one.ignored) && { key: agent.key }),
    });
  };

  for (const one of declared.filter((other) => other.query || other.body)) {
    const fields = fieldsOf(one);

    it(`is refused by ${nameOf(one)} if it is the name of an absent field without one letter`, async () => {
      const known = Object.keys(one.input.shape);
      for (const name of fields) {
        for (const typo of withoutOne(name).filter((text) => text.length > 1 && !known.includes(text))) {
          const answer = await ask(one, { [typo]: '1' }, name);
          expect(refusal(answer), name).to.equal(`400 Unknown parameter: ${typo}`);
          expect(answer.body.code).to.equal('UNKNOWN_PARAMETER');
          expect(String(answer.body.hint).split(/[ ,]/), typo).to.include(name);
        }
      }
    });

    it(`is ignored by ${nameOf(one)} if it resembles no field, or one that the request has`, async () => {
      const others = Object.fromEntries(UNRELATED.map((name) => [name, '1']));
      const { url, body } = requestOf(one, scene, { world, wallet: agent.wallet });
      const given = [...new URLSearchParams(url.split('?')[1]).keys(), ...Object.keys(body ?? {})];
      // The typo of a field may resemble another field that the request lacks. Such a typo would be refused, so it is left out.
      const isOfOther = (typo: string) => fields.some((name) => !given.includes(name) && resembles(typo, name));
      const typos = Object.fromEntries(given.map((name) => [`${name}s`, '1']).filter(([typo = '']) => !isOfOther(typo)));
      for (const values of [{}, others, typos]) {
        expect((await ask(one, values)).body.code).to.not.equal('UNKNOWN_PARAMETER');
      }
    });
  }

  it('is reported with the field that was meant, before other errors of the request', async () => {
    const { key } = agent;
    const scout = scene.scout.wallet;
    for (const [path, error, hint] of [
      [
        `/api/tickets/quote?action=buy&agent=${scout}&amount=1&walletAddress=${agent.wallet}&deadlineSecond=60`,
        'Unknown parameter: deadlineSecond',
        'Send deadlineSeconds instead of deadlineSecond, or omit deadlineSecond.',
      ],
      [`/api/price?agnet=${scout}`, 'Unknown parameter: agnet', 'Send agent instead of agnet, or omit agnet.'],
      [`/api/price?wallet=${scout}`, 'Missing required field: agent', 'Add agent to the request and send it again.'],
      ['/api/agents?holder=3', 'Unknown parameter: holder', 'Send minHolder or maxHolder instead of holder, or omit holder.'],
      ['/api/agents?lmit=101&sort=best', 'Unknown parameter: lmit', 'Send limit instead of lmit, or omit lmit.'],
    ] as const) {
      const { status, body } = await world.ask('GET', path, { headers: freshIp(), key });
      expect([status, body.error, body.hint]).to.deep.equal([400, error, hint]);
    }
  });

  it('is ignored if the specification or the path has a parameter like it', async () => {
    const registration = { name: 'Grace', walletAddress: `0x${'12'.repeat(20)}`, agentId: 'grace' };
    const registered = await world.ask('POST', '/api/agents', { headers: freshIp(), body: registration });
    expect(refusal(registered)).to.equal('422 On-chain registration not found');
    const { wallet, key } = agent;
    for (const path of [`/api/agents/${wallet}?address=1`, `/api/agents/${wallet}/trades?page=1&adress=1`]) {
      expect((await world.ask('GET', path, { headers: freshIp(), key })).status, path).to.equal(200);
    }
    const changed = await world.ask('PATCH', '/api/agents/me', { headers: freshIp(), key, body: { id: 1, key: 1 } });
    expect(changed.status).to.equal(200);
  });
});
