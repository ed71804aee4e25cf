import { expect } from 'chai';
import type { Endpoint } from '../../src/server/operation.js';
import { freshIp, refusal, success } from '../support/market/agents.js';
import { addListedAgent, randomWallet } from '../support/market/rows.js';
import { eventually } from '../support/service/process.js';
import { createScene, declared, EXTRA, nameOf, requestOf, type Scene } from '../support/service/samples.js';
import { useWorld } from '../support/world.js';

/** Fields that name the agent of a request. If there are several, the first one does. */
const NAMES = ['address', 'agentId', 'agent', 'targetAddress', 'agentAddress', 'walletAddress'];

/** Calls to the RPC for one answer about a purchase and about a sale, if they are not one call each. */
const CALLS: Readonly<Record<string, readonly [number, number]>> = {
  'GET /api/contract': [2, 2],
  'GET /api/agent-wallet/balance': [2, 2],
  'GET /api/price': [2, 2],
  'GET /api/tickets/quote': [2, 3],
};

const readsChain = ({ errors }: Endpoint): boolean => errors.includes('CHAIN_UNAVAILABLE');

/** The field that names the agent of a request. Aliases under /api/agents/me have none. */
const agentField = ({ params, query, body }: Endpoint): string | undefined =>
  NAMES.find((name) => [params, query, body].some((fields) => name in (fields?.shape ?? {})));

describe('the failures of', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let scene: Scene;
  before(async () => {
    scene = await createScene(world);
  });
  const ask = async (one: Endpoint, given = {}) => {
    const { wallet, key } = await addListedAgent(world);
    const { url, body } = requestOf(one, scene, { world, wallet, given });
    return world.ask(one.method, url, { headers: freshIp(), body, ...(one.auth === 'required' && { key }) });
  };

  describe('a service whose RPC is unreachable:', () => {
    const { fetch } = globalThis;
    /** Methods of the calls that the RPC has got. */
    let calls: string[];
    const disconnect = () => {
      calls = [];
      globalThis.fetch = async (url, init) => {
        if (!String(url).startsWith(world.chain.rpcUrl)) return fetch(url, init);
        calls.push(...[JSON.parse(String(init?.body))].flat().map(({ method }) => method));
        throw new TypeError('fetch failed');
      };
    };
    afterEach(() => {
      globalThis.fetch = fetch;
    });

    for (const one of declared.filter(readsChain)) {
      const [buy, sell] = CALLS[nameOf(one)] ?? [1, 1];
      it(`${nameOf(one)} answers 503 and makes no call after a failed one`, async () => {
        for (const [side, expected] of Object.entries({ buy, sell })) {
          disconnect();
          const answer = await ask(one, { type: side, action: side });
          expect(refusal(answer)).to.equal('503 Chain RPC unavailable');
          expect(answer.headers.get('retry-after')).to.equal('5');
          // A call that waits for the database at the same time may come after the answer.
          await eventually(() => calls.length >= expected);
          // A later call waits for the database or for a batch of calls. A request that only reads the database, and one
          // more call, come after it.
          const { wallet, key } = await addListedAgent(world);
          success(await world.ask('GET', '/api/agents/status', { headers: freshIp(), key }));
          await world.deps.market.etherBalance(wallet).catch(() => {});
          expect(calls, calls.join(' ')).to.have.length(expected + 1);
        }
      });
    }

    for (const one of declared.filter((other) => !readsChain(other))) {
      it(`${nameOf(one)} answers without the chain`, async () => {
        // The last known fees are used.
        await world.deps.market.feeSplit();
        disconnect();
        const answer = await ask(one);
        if (one.errors.includes('NOT_READY')) expect(refusal(answer)).to.equal('503 Not ready');
        else if (one.method === 'GET') expect(answer.status, refusal(answer)).to.equal(200);
        else expect(answer.status, refusal(answer)).to.be.below(500);
      });
    }
  });

  describe('a request for an agent that does not exist:', () => {
    for (const one of declared) {
      const field = agentField(one);
      if (field === undefined) continue;
      const isDeclared = one.errors.includes('AGENT_NOT_FOUND');
      it(`${nameOf(one)} answers ${isDeclared ? '404' : 'as declared'}`, async () => {
        // Endpoints that do not read the chain have no side: their `type` has other values.
        const sides = readsChain(one) ? ['buy', 'sell'].map((side) => ({ type: side, action: side })) : [{}];
        for (const side of sides) {
          // `ask` refuses an answer that is not declared.
          const answer = await ask(one, { [field]: randomWallet(), ...side });
          if (isDeclared) expect(refusal(answer)).to.equal('404 Agent not found');
        }
      });
    }
  });
});
