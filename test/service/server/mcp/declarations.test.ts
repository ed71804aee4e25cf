import { Ajv, addFormats } from '@modelcontextprotocol/client/validators/ajv';
import { expect } from 'chai';
import { readConfig } from '../../../../src/config/config.js';
import { toolsFor } from '../../../../src/features/features.js';
import { argumentNames, describeTool } from '../../../../src/server/mcp/schemas.js';
import { isRead } from '../../../../src/server/operation.js';
import type { Json } from '../../../support/service/graphql.js';
import { guidesFor } from '../../../support/service/guides.js';

/** The tools of the last release. Hosts may have stored their names, so none may disappear. */
const RELEASED = [
  'search_agents',
  'get_agent',
  'list_agents',
  'get_trending',
  'get_leaderboard',
  'get_feed',
  'get_candles',
  'get_season',
  'get_price',
  'quote_trade',
  'get_pnl',
  'get_trades',
  'heartbeat',
  'record_trade',
  'post',
  'follow',
  'react',
];

const tools = toolsFor(readConfig({}));
const described = new Map(tools.map((declared) => [declared.tool.name, describeTool(declared)]));
const listedTool = (name: string) => described.get(name)?.listed as Json;

/** All schemas that are nested in a schema, with their paths. */
function* schemasIn(schema: Json, path = ''): Generator<readonly [path: string, schema: Json]> {
  if (typeof schema !== 'object' || schema === null) return;
  yield [path, schema];
  for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) yield* schemasIn(property, `${path}.${name}`);
  yield* schemasIn(schema.items, `${path}[]`);
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* schemasIn(one, path);
}

describe('the MCP tools as declared', () => {
  it('keep the names of the last release, and have unique names', () => {
    expect([...described.keys()]).to.include.members(RELEASED);
    expect(described.size).to.equal(tools.length);
  });

  it('lack record_trade where it is retired', () => {
    const names = toolsFor(readConfig({ TICKET_CALLBACKS: 'retired' })).map(({ tool }) => tool.name);
    expect(names).to.have.members([...described.keys()].filter((name) => name !== 'record_trade'));
  });

  it('declare whether they are read-only, destructive or idempotent', () => {
    for (const { declared, listed } of described.values()) {
      const { readOnlyHint, destructiveHint } = listed.annotations ?? {};
      // `heartbeat` is declared as a read, but its tool marks notifications as read.
      expect(readOnlyHint, listed.name).to.equal(isRead(declared) && listed.name !== 'heartbeat');
      expect(readOnlyHint && destructiveHint, listed.name).to.equal(false);
    }
    const annotated = (hint: string) => RELEASED.filter((name) => listedTool(name).annotations[hint]);
    expect(annotated('destructiveHint')).to.have.members(['follow', 'react']);
    expect(annotated('idempotentHint')).to.have.members(RELEASED.filter((name) => name !== 'post'));
  });

  it('have a title, a description and closed object schemas with described arguments', () => {
    for (const { listed } of described.values()) {
      const { name, title, description, inputSchema, outputSchema } = listed as Json;
      expect(title, name).to.match(/^[A-Z]/);
      expect(description, name).to.match(/^[A-Z].*\.$/s);
      expect(inputSchema, name).to.include({ type: 'object', additionalProperties: false });
      expect(outputSchema.type, name).to.equal('object');
      for (const [argument, schema] of Object.entries<Json>(inputSchema.properties)) {
        expect(schema.description, `${name}.${argument}`).to.be.a('string');
      }
    }
  });

  it('take an idempotency key if and only if they write', () => {
    for (const { declared } of described.values()) {
      expect(argumentNames(declared).includes('idempotencyKey'), declared.tool.name).to.equal(!isRead(declared));
    }
  });

  it('take no secret', () => {
    for (const { declared } of described.values()) {
      const names = argumentNames(declared).filter((name) => name !== 'idempotencyKey');
      expect(names.join(), declared.tool.name).not.to.match(/key|secret|mnemonic|seed|password|signature/i);
    }
  });

  it('have schemas of standard keywords without references, so that a strict validator accepts them', () => {
    const strict = addFormats(new Ajv({ strict: true }));
    for (const { listed } of described.values()) {
      for (const schema of [listed.inputSchema, listed.outputSchema]) {
        expect(() => strict.compile(schema as Json), listed.name).to.not.throw();
        // Ajv supports these keywords, but not every client does, so no schema may contain them.
        expect(JSON.stringify(schema), listed.name).to.not.match(/"(\$ref|allOf|nullable)":/);
      }
    }
  });

  it('show every amount in wei and in ETH', () => {
    const lonely = [...described.values()].flatMap(({ listed }) =>
      [...schemasIn(listed.outputSchema)].flatMap(([path, { properties = {} }]) =>
        Object.keys(properties)
          .filter((name) => /(Wei|Eth)$/.test(name) && name !== 'ethUsd')
          .filter((name) => ['', 'Wei', 'Eth'].filter((unit) => name.slice(0, -3) + unit in properties).length < 2)
          .map((name) => `${listed.name}${path}.${name}`),
      ),
    );
    expect(lonely).to.deep.equal([]);
  });

  it('mark the texts of strangers, in the schema and by their paths', () => {
    const untrusted = (name: string) => described.get(name)?.untrusted;
    for (const [name, paths] of [
      ['get_agent', ['agent.name', 'agent.description', 'agent.bio', 'agent.holders[].name']],
      ['get_feed', ['feed[].text', 'feed[].thesis', 'feed[].agentName', 'feed[].buyerName']],
      ['get_trades', ['trades[].thesis', 'trades[].agentName', 'trades[].buyerOrSellerName']],
      ['heartbeat', ['notifications[].message', 'notifications[].data', 'trending[].agent.name']],
    ] as const) {
      expect(untrusted(name)).to.include.members([...paths]);
    }
    for (const name of ['get_price', 'quote_trade', 'get_candles', 'follow', 'react'])
      expect(untrusted(name), name).to.deep.equal([]);
    const { bio } = listedTool('get_agent').outputSchema.properties.agent.properties;
    expect(bio.description).to.match(/^Untrusted text\. About the agent/);
    // The notice is the first property, so that a model reads it before the texts.
    expect(Object.keys(listedTool('get_agent').outputSchema.properties)[0]).to.equal('untrustedContent');
  });

  it('are all in the chapter of /docs, with their need for a key', () => {
    for (const TICKET_CALLBACKS of ['on', 'retired']) {
      const chapter = guidesFor({ TICKET_CALLBACKS }).chapters.find(({ id }) => id === 'mcp')?.text ?? '';
      const rows = [...chapter.matchAll(/^\| (`.*`) \| ?(.*?) ?\|$/gm)];
      const auth = { '': 'none', optional: 'optional', yes: 'required' } as const;
      const documented = rows.flatMap(([, names = '', key]) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${name} ${auth[key as keyof typeof auth]}`),
      );
      const declared = toolsFor(readConfig({ TICKET_CALLBACKS }));
      expect(documented).to.have.members(declared.map(({ tool, auth }) => `${tool.name} ${auth}`));
    }
  });

  it('take less than 900 characters each on average without output schemas, and 4,650 with them', () => {
    const listed = [...described.values()].map((tool) => tool.listed);
    const mean = (values: readonly object[]) => JSON.stringify(values).length / values.length;
    expect(mean(listed.map(({ outputSchema, ...shown }) => shown))).to.be.below(900);
    expect(mean(listed)).to.be.below(4650);
  });
});
