import { expect } from 'chai';
import { z } from 'zod';
import { readConfig } from '../../../src/config/config.js';
import { toolsFor } from '../../../src/features/features.js';
import { describeTool } from '../../../src/server/mcp/schemas.js';
import { freshIp } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { seed } from '../../support/seed.js';
import type { Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';
import { Dice } from './support/dice.js';
import { type Member, Population } from './support/population.js';
import { spoiledJson } from './support/rest-requests.js';
import { Values } from './support/values.js';
import { markUnread, ownedRows, type Victim, victimOf } from './support/victim.js';

const CALLS = 3000;
const AT_ONCE = 8;
const MAX_SHOWN = 5;

const tools = toolsFor(readConfig({})).map((declared) => {
  const { listed } = describeTool(declared);
  return { declared, listed, output: z.fromJSONSchema(listed.outputSchema as Json) };
});
type Tool = (typeof tools)[number];
type Answer = { readonly status: number; readonly text: string; readonly message: Json };

describe(`calls of MCP tools with seed ${seed}`, function () {
  this.timeout(600_000);
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let population: Population;
  let victim: Victim;
  let attacker: Member;
  let deleted: Member;

  before(async () => {
    population = await Population.create(world, 9);
    victim = await victimOf(world, population);
    const others = population.members.filter(({ wallet }) => wallet !== victim.wallet);
    [deleted, attacker] = others as [Member, Member];
    await population.remove(deleted);
  });

  async function send(body: string, key?: string): Promise<Answer> {
    const headers = { accept: 'application/json, text/event-stream', ...freshIp() };
    const options = { body, headers, ...(key === undefined ? {} : { key }) };
    const answer = await world.ask('POST', '/mcp', options);
    // For a client of the 2025 protocol revision, the MCP library answers with one Server-Sent Event instead of JSON.
    const event = /^data: (.*)$/m.exec(String(answer.body.text ?? ''))?.[1];
    const message: Json = event === undefined ? answer.body : JSON.parse(event);
    return { status: answer.status, text: JSON.stringify(message), message };
  }
  const messageOf = (name: unknown, args: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

  /** Says what is wrong with the answer to a call. undefined if nothing is wrong. */
  function faultOf({ output }: Tool, { status, message }: Answer): string | undefined {
    if (status >= 500) return 'a fault of the service';
    if (status !== 200) return [400, 401].includes(status) ? undefined : 'an unknown status';
    const { result, error } = message;
    // JSON-RPC: invalid parameters, or an invalid request.
    if (error) return error.code === -32602 || error.code === -32600 ? undefined : 'an unknown error of the protocol';
    if (!result) return 'neither a result nor an error';
    const told: Json = JSON.parse(result.content[0].text);
    if (!result.isError) {
      const { success, error: wrong } = output.safeParse(result.structuredContent);
      return success ? undefined : `not the declared result: ${wrong.message}`;
    }
    if (told.success !== false || !told.error || !told.hint) return 'a failure without error and hint';
    return told.status < 500 ? undefined : 'a fault of the service in a result';
  }

  it(`get declared results ${CALLS} times, and let almost every tool succeed and fail`, async () => {
    const dice = new Dice(5);
    const values = new Values(dice, population, {});
    const [faults, seen]: [string[], Map<string, Set<boolean>>] = [[], new Map()];
    const argumentsOf = ({ listed }: Tool): unknown => {
      const { properties = {}, required = [] } = listed.inputSchema as Json;
      const given = Object.entries<Json>(properties).filter(
        ([name]) => dice.chance(required.includes(name) ? 0.97 : 0.4) && (name !== 'idempotencyKey' || dice.chance(0.5)),
      );
      // `Values` knows the parameter `query` of MCP under its name in REST, `q`.
      const entries = given.map(([name, schema]) => [
        name,
        dice.chance(0.1) ? values.hostile() : values.plausible(name === 'query' ? 'q' : name, schema),
      ]);
      if (dice.chance(0.03)) entries.push([dice.pick(['privateKey', '__proto__', 'constructor']), values.hostile()]);
      return dice.chance(0.02) ? values.hostile() : Object.fromEntries(entries);
    };
    async function callOnce(): Promise<void> {
      const tool = dice.pick(tools);
      const caller = dice.chance(0.7) ? dice.pick(population.members) : undefined;
      values.caller = caller;
      const text = messageOf(dice.chance(0.01) ? values.hostile() : tool.declared.tool.name, argumentsOf(tool));
      const sent = dice.chance(0.05) ? spoiledJson(text, dice).toString() : text;
      const answer = await send(sent, caller?.key);
      const { result } = answer.message;
      if (sent === text && result) {
        const name = tool.declared.tool.name;
        seen.set(name, (seen.get(name) ?? new Set()).add(result.isError === true));
      }
      const secret = population.secrets.foundIn(answer.text, caller?.wallet, sent);
      const fault = faultOf(tool, answer) ?? (secret && `the answer contains the ${secret}`);
      if (fault) faults.push(`${sent.slice(0, 600)}: ${fault}; answered ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    for (let done = 0; done < CALLS && faults.length < MAX_SHOWN; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, callOnce));
    }
    expect(faults.slice(0, MAX_SHOWN)).to.deep.equal([]);
    // `record_trade` only succeeds for a trade that is new on the chain. The generated calls have none, so it always fails.
    const single = [...seen].filter(([, outcomes]) => outcomes.size < 2).map(([name]) => name);
    expect(single).to.deep.equal(['record_trade']);
    expect(seen.size).to.equal(tools.length);
    print(`${CALLS} calls of ${seen.size} tools`);
  });

  it('never act for a stranger, or with the key of another or a deleted agent', async () => {
    await markUnread(world, victim.wallet);
    const since = world.clock.now();
    world.clock.advance(1);
    const before_ = await ownedRows(world, victim.wallet, since);
    const about: Json = {
      agent: victim.wallet,
      query: victim.name,
      postId: victim.post,
      kind: 'like',
      action: 'buy',
      amount: 1,
      txHash: victim.trade,
      text: 'A text of the attacker',
    };
    for (const { declared, listed } of tools) {
      const { required = [] } = listed.inputSchema as Json;
      const args = Object.fromEntries(required.map((name: string) => [name, about[name]]));
      const call = messageOf(declared.tool.name, args);
      const [nobody, gone, thief] = [await send(call), await send(call, deleted.key), await send(call, attacker.key)];
      const refusal = nobody.message.result?.isError ? JSON.parse(nobody.message.result.content[0].text).error : '';
      // Without an agent in the arguments, these two tools are about the agent of the key.
      const needsKey = declared.auth === 'required' || ['get_pnl', 'get_trades'].includes(declared.tool.name);
      expect(refusal === 'Missing API key', declared.tool.name).to.equal(needsKey);
      expect(gone.status, declared.tool.name).to.equal(401);
      for (const [answer, caller] of [[nobody], [gone], [thief, attacker]] as const) {
        expect(answer.status, declared.tool.name).to.be.below(500);
        expect(population.secrets.foundIn(answer.text, caller?.wallet, call), declared.tool.name).to.equal(undefined);
      }
      expect(await ownedRows(world, victim.wallet, since), declared.tool.name).to.deep.equal(before_);
    }
  });

  it('leave no unexpected error in the log, and change no prototype', () => {
    expect(world.logged.filter(({ level }) => Number(level) >= 50).slice(0, 3)).to.deep.equal([]);
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  });
});
