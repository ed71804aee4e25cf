import { expect } from 'chai';
import type { Endpoint } from '../../../src/server/operation.js';
import { freshIp, refusal, success } from '../../support/market/agents.js';
import { addListedAgent, randomWallet } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { createScene, declared, EXTRA, nameOf, requestOf, type Scene } from '../../support/service/samples.js';
import { useWorld } from '../../support/world.js';

/** Names of fields that name the agent of a request. If an endpoint has several of them, the first one in this list counts. */
const NAMES = ['address', 'agentId', 'agent', 'targetAddress', 'agentAddress', 'walletAddress'];

/** Number of RPC calls for one answer about a purchase and about a sale. Endpoints that are not listed need one call. */
const CALLS: Readonly<Record<string, readonly [number, number]>> = {
  'GET /api/contract': [2, 2],
  'GET /api/agent-wallet/balance': [2, 2],
  'GET /api/price': [2, 2],
  'GET /api/tickets/quote': [2, 3],
};

const readsChain = ({ errors }: Endpoint): boolean => errors.includes('CHAIN_UNAVAILABLE');

/** The field that names the agent of a request. undefined if there is none, as in aliases under /api/agents/me. */
const agentField = ({ params, query, body }: Endpoint): string | undefined =>
  NAMES.find((name) => [params, query, body].some((fields) => name in (fields?.shape ?? {})));

describe('the service', () => {
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

  describe('without a reachable RPC', () => {
    const { fetch } = globalThis;
    /** Methods of the RPC calls that the service has tried since `disconnect`. */
    let calls: string[];
    /** Number of HTTP requests to the RPC since then. Calls that start at the same time go as one batch. */
    let requests: number;
    const disconnect = () => {
      calls = [];
      requests = 0;
      globalThis.fetch = async (url, init) => {
        if (!String(url).startsWith(world.chain.rpcUrl)) return fetch(url, init);
        requests++;
        calls.push(...[JSON.parse(String(init?.body))].flat().map(({ method }) => method));
        throw new TypeError('fetch failed');
      };
    };
    afterEach(() => {
      globalThis.fetch = fetch;
    });

    for (const one of declared.filter(readsChain)) {
      const [buy, sell] = CALLS[nameOf(one)] ?? [1, 1];
      it(`answers 503 to ${nameOf(one)}, asks the RPC in one batch, and makes no call after a failed one`, async () => {
        for (const [side, expected] of Object.entries({ buy, sell })) {
          disconnect();
          const answer = await ask(one, { type: side, action: side });
          expect(refusal(answer)).to.equal('503 Chain RPC unavailable');
          expect(answer.headers.get('retry-after')).to.equal('5');
          // The answer may come before a call that waits for the database.
          await eventually(() => calls.length >= expected);
          // The second call for the balance of a wallet waits for the database, so it may come too late for the batch of the first.
          const most = nameOf(one) === 'GET /api/agent-wallet/balance' ? 2 : 1;
          expect(requests, calls.join(' ')).to.be.at.most(most);
          // A superfluous call could wait for the database or for a batch of calls. The next two lines read the database and make
          // one more call, which come after it. So `calls` would contain it.
          const { wallet, key } = await addListedAgent(world);
          success(await world.ask('GET', '/api/agents/status', { headers: freshIp(), key }));
          await world.deps.chain.etherBalance(wallet).catch(() => {});
          expect(calls, calls.join(' ')).to.have.length(expected + 1);
        }
      });
    }

    for (const one of declared.filter((other) => !readsChain(other))) {
      it(`answers ${nameOf(one)}, which does not need the chain`, async () => {
        // Reads the fees once, because the endpoints use the last known fees while the chain is unavailable.
        await world.deps.chain.feeSplit();
        disconnect();
        const answer = await ask(one);
        if (one.errors.includes('NOT_READY')) expect(refusal(answer)).to.equal('503 Not ready');
        else if (one.method === 'GET') expect(answer.status, refusal(answer)).to.equal(200);
        else expect(answer.status, refusal(answer)).to.be.below(500);
      });
    }
  });

  describe('asked for an agent that does not exist', () => {
    for (const one of declared) {
      const field = agentField(one);
      if (field === undefined) continue;
      const isDeclared = one.errors.includes('AGENT_NOT_FOUND');
      it(`answers ${isDeclared ? '404' : 'as declared'} to ${nameOf(one)}`, async () => {
        // Only endpoints that read the chain have a side. In other endpoints, `type` has other values.
        const sides = readsChain(one) ? ['buy', 'sell'].map((side) => ({ type: side, action: side })) : [{}];
        for (const side of sides) {
          // `ask` fails if the answer is not declared, so this also checks endpoints without this error.
          const answer = await ask(one, { [field]: randomWallet(), ...side });
          // Every wallet has profits and links, none before its first trade. Only an unknown name is not found.
          if (one.path.endsWith('/pnl/periods')) expect(answer.body.periods).to.deep.equal([]);
          else if (one.path.endsWith('/links')) expect(answer.body.links).to.deep.equal([]);
          else if (isDeclared) expect(refusal(answer)).to.equal('404 Agent not found');
        }
      });
    }
  });
});
