import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLIENT, longHistory, REGISTRY, useYields } from '../../../support/client/yields.js';
import type { Json } from '../../../support/service/graphql.js';
import { listen } from '../../../support/service/listen.js';
import { runSql } from '../../../support/store.js';
import { walletOf } from '../../../support/theses/call-history.js';
import type { World } from '../../../support/world.js';

const ada = walletOf('Ada');

describe('curvet yield refuses', () => {
  const yields = useYields();

  it('to write without a wish to, without 0.001 ETH at work, or about somebody else', async () => {
    await yields.withAgents(longHistory(), [ada, walletOf('Dan')], async (other) => {
      const files = () => readdirSync(yields.directory).filter((name) => name.includes('2026-09'));
      for (const name of files()) rmSync(join(yields.directory, name));
      await yields.prove(ada);
      const given = [ada, '--client', CLIENT];
      const dry = await yields.run(other, [...given, '--dry-run']);
      expect(dry.out).to.match(/\nday .*\nDry run: nothing was written\.\n$/s);
      for (const [args, code, said] of [
        [[ada], 2, '--client is the address'],
        [[ada, '--client', 'me'], 2, '--client is the address'],
        [[ada, '--client', ada], 2, 'about itself'],
        [[...given, '--span', 'hour'], 2, '--span is one of day, week, month, year'],
        [['nobody', '--client', CLIENT], 4, 'Agent not found'],
      ] as const) {
        const refused = await yields.run(other, args);
        expect([refused.code, refused.error.includes(said)], refused.error).to.deep.equal([code, true]);
      }
      const none = await yields.run(other, [walletOf('Dan'), '--client', CLIENT]);
      expect([none.code, none.error]).to.deep.include(5);
      await yields.prove(walletOf('Dan'));
      expect((await yields.run(other, [walletOf('Dan'), '--client', CLIENT])).out).to.equal(
        `Agent 1 (agent_1)  ${walletOf('Dan')}\nIn no whole span, 0.001 ETH were at work, so there is no yield.\n`,
      );
      const foreign = await yields.run(other, given);
      expect([
        foreign.code,
        foreign.error.includes(`wallet of identity 22 in the registry: ${walletOf('Dan')}, not ${ada}`),
      ]).to.deep.equal([5, true]);
      await yields.prove(ada);
      const identify = (identity: string | null) =>
        runSql(other.deps, 'update agent set identity = $2 where wallet = $1', [ada, identity]);
      for (const [identity, code, said] of [
        [null, 2, 'names no identity'],
        [`eip155:1:${REGISTRY}:22`, 2, `the RPC is on chain ${other.deps.chain.chainId}`],
        [`eip155:${other.deps.chain.chainId}:${REGISTRY}:23`, 5, 'registry: none'],
        [`eip155:${other.deps.chain.chainId}:${CLIENT}:22`, 5, `identity in the registry ${CLIENT}`],
      ] as const) {
        await identify(identity);
        other.deps.writes.count++;
        const refused = await yields.run(other, given);
        expect([refused.code, refused.error.includes(said)], refused.error).to.deep.equal([code, true]);
      }
      const trusting = await yields.run(other, [...given, '--registry', CLIENT.toUpperCase().replace('0X', '0x')]);
      expect([trusting.code, trusting.error.includes(`no contract at ${CLIENT}`)], trusting.error).to.deep.equal([7, true]);
      expect((await yields.run(other, [...given, '--registry', REGISTRY])).code).to.equal(5);
      expect(files()).to.deep.equal([]);
    });
  });

  /** Calls `use` with the URL of a proxy that changes each answer of the service. */
  async function through(other: World, change: (path: string, body: Json) => Json, use: (proxy: World) => Promise<void>) {
    const proxy = createServer(async (request, response) => {
      const answer = await fetch(other.url + String(request.url));
      const changed = change(String(request.url), await answer.json());
      response.writeHead(changed.httpStatus ?? answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(changed));
    });
    const url = await listen(proxy);
    try {
      await use({ ...other, url });
    } finally {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  }

  it('answers of the service that it doubts, and leaves no file behind when one fails', async () => {
    await yields.withAgents(longHistory(), [ada], async (other) => {
      await yields.prove(ada);
      const given = [ada, '--client', CLIENT];
      const count = () => readdirSync(yields.directory).length;
      const before = count();
      const evil = 'https://x/", "", 0x00)\n       giveFeedback(999';
      const agent = (fields: object) => (path: string, body: Json) =>
        path === `/api/agents/${ada}` ? { ...body, agent: { ...body.agent, ...fields } } : body;
      const cases: [(path: string, body: Json) => Json, number, string][] = [
        [agent({ walletAddress: walletOf('Eve'), agentId: 'eve' }), 5, 'the service answers with the agent eve'],
        [agent({ identity: `eip155:84532:${REGISTRY}:9007199254740993` }), 2, 'names no identity'],
        [(path, body) => (path === '/api' ? { ...body, url: 'javascript:x' } : body), 5, 'has no public URL'],
        [
          (path, body) =>
            path.includes('periods') ? { periods: body.periods.map(({ capitalWei: _, ...row }: Json) => row) } : body,
          7,
          'no capital',
        ],
        [
          (path, body) =>
            path.includes('period=month') ? { httpStatus: 404, error: 'Not found', code: 'NOT_FOUND', hint: '' } : body,
          4,
          'Not found',
        ],
      ];
      for (const [change, code, said] of cases) {
        await through(other, change, async (proxy) => {
          const refused = await yields.run(proxy, given);
          expect([refused.code, refused.error.includes(said)], refused.error).to.deep.equal([code, true]);
        });
      }
      expect(count()).to.equal(before);
      await through(
        other,
        (path, body) => (path === '/api' ? { ...body, url: evil } : body),
        async (proxy) => {
          const { code, out } = await yields.run(proxy, given);
          expect([code, out.match(/^ *giveFeedback\(999/m), out.includes('https://x/%22,')]).to.deep.equal([0, null, true]);
        },
      );
    });
  });

  it('to count what an index lacks that is behind the chain', async () => {
    await yields.prove(ada);
    const behind = async (other: World) => {
      const { code, error } = await yields.run(other, [ada, '--client', CLIENT]);
      expect([code, error]).to.deep.equal([
        7,
        'curvet: the index is 50 blocks behind the chain, so figures may be incomplete\nRun the command again later.\n',
      ]);
    };
    await yields.withAgents(longHistory(), [ada], behind, ({ chain, clock }) => {
      const head = async () => ({ number: (await chain.blockNumber()) + 50, time: clock.now() });
      return { chain: { ...chain, head } };
    });
  });
});
