import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type GraphQLFieldMap,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { readConfig } from '../../../../src/config/config.js';
import { endpoints, tags } from '../../../../src/features/features.js';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import type { JsonSchema } from '../../../../src/server/json-schema.js';
import { openapi } from '../../../../src/server/openapi/openapi.js';
import {
  graphqlFields,
  type Resource,
  type ResourceField,
  type ResourceFields,
  restFields,
  type View,
} from '../../../../src/server/resources/field.js';
import type { Enumeration } from '../../../../src/server/resources/types.js';
import { root } from '../../../support/service/process.js';

/** Compiled files of the features. `exported` collects what their resource and GraphQL files export, as `file.name`. */
const features = join(root, 'dist', 'src', 'features');
const exported: (readonly [name: string, value: unknown])[] = [];
for (const file of readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /(resource|graphql)\.js$/.test(name),
)) {
  const module: object = await import(join(features, file));
  exported.push(...Object.entries(module).map(([name, value]) => [`${file}.${name}`, value] as const));
}
const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'schema' in value && 'format' in value;
const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && 'Node' in value && 'fields' in value;
const isEnumeration = (value: unknown): value is Enumeration => typeof value === 'object' && value !== null && 'meanings' in value;
const views = exported.flatMap(([name, value]) => (isView(value) ? [[name, value] as const] : []));
const resources = exported.flatMap(([, value]) => (isResource(value) ? [value] : []));

/** The configuration turns on the endpoints that are off by default. */
const config = readConfig({ KEY_REPLACEMENT: 'on' });
const document = openapi({ endpoints: endpoints(config), tags }, config, { url: '/', chainId: config.CHAIN_ID });
const types = graphqlSchema({ KEY_REPLACEMENT: 'on' }).getTypeMap();

/** Every object schema of the OpenAPI document. */
const objects: JsonSchema[] = [];
const collect = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as JsonSchema;
  if (typeof schema.properties === 'object') objects.push(schema);
  Object.values(value).forEach(collect);
};
collect(document);

/** The schemas of the document that have all fields of a view with their descriptions. */
const documented = (fields: ResourceFields): JsonSchema[] =>
  objects.filter(({ properties = {} }) =>
    restFields(fields).every(([name, { description }]) => properties[name]?.description === description),
  );

/** A schema, or the component to which it refers. */
const resolved = (given: JsonSchema): JsonSchema =>
  typeof given.$ref === 'string' ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] as JsonSchema) : given;

/** The type of a property without null, its values if it is an enum, and whether it may be null. */
function jsonType(given: JsonSchema) {
  const schema = resolved(given);
  const all = ((schema.anyOf as JsonSchema[] | undefined) ?? [schema]).map(resolved);
  const kinds = all.flatMap(({ type }) => type ?? '');
  const values = all.flatMap((one) => (one.enum ?? []) as string[]);
  return { type: kinds.find((one) => one !== 'null') ?? 'object', values, isNullable: kinds.includes('null') };
}

const jsonTypeOf = (type: GraphQLOutputType): string => {
  const inner = getNullableType(type);
  if (isListType(inner)) return 'array';
  if (isObjectType(inner) || isInterfaceType(inner)) return 'object';
  const names: Readonly<Record<string, string>> = {
    Int: 'integer',
    Float: 'number',
    Boolean: 'boolean',
    JSONObject: 'object',
  };
  return names[getNamedType(inner).name] ?? 'string';
};

const fieldsIn = (resource: Resource): GraphQLFieldMap<unknown, unknown> => {
  const type = types[resource.name];
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`no type ${resource.name}`);
  return type.getFields();
};

/**
 * Whether a GraphQL type is written as a class instead of declared as a resource. These are lists, and objects that the service or
 * each agent has only once.
 */
const isWritten = (name: string): boolean =>
  /^(Query|Mutation|Subscription|PageInfo|MarketStats|Heartbeat|HeartbeatSeason|\w+(Connection|Edge)|__\w+|Node)$/.test(name);

describe('the tables of the resources', () => {
  it('declare every type of the GraphQL schema that is not written as a class', () => {
    const found = Object.values(types).filter((type) => isObjectType(type) || isInterfaceType(type));
    const declared = found.map(({ name }) => name).filter((name) => !isWritten(name));
    expect(resources.map(({ name }) => name)).to.have.members(declared);
  });

  it('describe each field in sentences', () => {
    const fields = [...views.map(([, view]) => view.fields as ResourceFields), ...resources.map((r) => r.fields as ResourceFields)];
    const wrong = fields.flatMap((table) =>
      Object.entries(table).filter(([, { description }]) => !/^\S.{3,}\.$/.test(description)),
    );
    expect(wrong.map(([name, { description }]) => `${name}: ${description}`)).to.deep.equal([]);
  });

  for (const [name, view] of views) {
    it(`show every field of ${name} in the OpenAPI document, with its description`, () => {
      expect(documented(view.fields as ResourceFields)).not.to.deep.equal([]);
    });

    it(`have an example of the shape of ${name}`, () => {
      expect(view.answerSchema.safeParse(view.example()).error).to.equal(undefined);
    });
  }

  for (const resource of resources) {
    it(`show every field of ${resource.name} in the GraphQL schema, with its description and type`, () => {
      const fields = fieldsIn(resource);
      for (const [name, { description, graphqlType }] of graphqlFields(resource.fields as ResourceFields)) {
        const { of, list, nullable } = graphqlType;
        const inner = typeof of === 'string' ? of : of.name;
        expect(fields[name]?.description, name).to.equal(description);
        expect(String(fields[name]?.type), name).to.equal((list ? `[${inner}!]` : inner) + (nullable ? '' : '!'));
      }
      expect(types[resource.name]?.description).to.equal(resource.description);
    });
  }

  it('give a field the same type in both APIs', () => {
    let compared = 0;
    let enumsCompared = 0;
    for (const [name, view] of views) {
      const [schema] = documented(view.fields as ResourceFields);
      for (const resource of resources) {
        const graphql = graphqlFields(resource.fields as ResourceFields);
        for (const [key, field] of restFields(view.fields as ResourceFields)) {
          const graphqlName = [...graphql].find(([, one]) => one === field)?.[0];
          if (graphqlName === undefined) continue;
          const property = schema?.properties?.[key] as JsonSchema;
          const type = fieldsIn(resource)[graphqlName]?.type as GraphQLOutputType;
          const isOptional = !schema?.required?.includes(key);
          expect(jsonTypeOf(type), `${name}.${key}`).to.equal(jsonType(property).type);
          expect(!isNonNullType(type), `${name}.${key}`).to.equal(jsonType(property).isNullable || isOptional);
          const named = getNamedType(type);
          if (isEnumType(named) && !('const' in property)) {
            const values = named.getValues().map(({ value }) => value);
            expect(values, `${name}.${key}`).to.have.members(jsonType(property).values);
            enumsCompared++;
          }
          compared++;
        }
      }
    }
    expect(compared).to.be.above(120);
    expect(enumsCompared).to.be.above(5);
  });

  it('declare every enum of the GraphQL schema', () => {
    const declared = exported.flatMap(([, value]) => (isEnumeration(value) ? [value.name] : []));
    const found = Object.values(types).flatMap((type) => (isEnumType(type) && !type.name.startsWith('__') ? [type.name] : []));
    expect(found).to.have.members(declared);
  });
});

/** Description of an average. It has no exact value in wei, so the description names the exact amount that was divided. */
const QUOTIENT = /A quotient, rounded down to a wei: (\w+)(?: of GraphQL)? is exact\.$/;
const SAME = /^Same as (\w+)\.$/;

const isFloat = ({ graphqlType }: ResourceField<never>) => graphqlType.of === 'Float';
const isWei = (field: ResourceField<never> | undefined) => field?.notes.unit === 'wei';
const isShownBy = ({ shown }: ResourceField<never>) => [shown.rest !== false, shown.graphql !== false];

/** A row whose columns are amounts that a floating-point number of ETH cannot represent exactly. */
const row = new Proxy({} as never, {
  get: (_, column: string) => 10n ** 20n + BigInt(`0x${Buffer.from(column).toString('hex').slice(0, 14)}`),
});

/** The field of the same table that has the same amount in wei. */
function exactOf(name: string, table: ResourceFields): ResourceField<never> | undefined {
  const [, other] = SAME.exec(table[name]?.description ?? '') ?? [];
  const base = name.replace(/Eth$/, '');
  return [`${base}Wei`, base, `${other?.replace(/Eth$/, '')}Wei`].map((found) => table[found]).find(isWei);
}

describe('the amounts that are floating-point numbers of ETH', () => {
  const amounts = resources.flatMap(({ name: type, fields }) =>
    Object.entries(fields)
      .filter(([, field]) => field.notes.unit === 'eth' && isFloat(field))
      .map(([name, field]) => ({ type, name, field, table: fields })),
  );
  const quotients = amounts.filter(({ field }) => /\bquotient\b/.test(field.description));

  it('include volumes and profits, and exactly four quotients', () => {
    const names = amounts.map(({ type, name }) => `${type}.${name}`);
    expect(names).to.include.members(['Agent.volume24h', 'Trend.volume24h', 'MarketFigures.volumeEth']);
    expect(names).to.include.members(['PnlSummary.realizedEth', 'FeePnl.pendingEth', 'RealizedTrade.buyPrice']);
    expect(quotients.map(({ type, name }) => `${type}.${name}`)).to.have.members([
      'Trade.pricePerUnit',
      'OpenHolding.avgCostBasis',
      'OpenHolding.currentPrice',
      'Position.avgCostBasis',
    ]);
  });

  for (const amount of amounts) {
    const { type, name, field, table } = amount;
    if (quotients.includes(amount)) {
      it(`name the exact amount of which ${type}.${name} is a quotient`, () => {
        const [, exact = ''] = QUOTIENT.exec(field.description) ?? [];
        expect(isWei(table[exact]), exact).to.equal(true);
      });
      continue;
    }
    it(`have the same amount in wei beside ${type}.${name}`, () => {
      const exact = exactOf(name, table);
      if (!exact) return expect.fail('no field in wei');
      const value = field.value(row);
      expect(exact.value(row)).to.equal(value).and.to.be.a('bigint');
      expect(exact.rest(row)).to.equal(String(value));
      expect(String(exact.graphql(row))).to.equal(String(value));
      expect(exact.graphqlType.nullable).to.equal(field.graphqlType.nullable);
      if (isShownBy(field)[0]) expect(isShownBy(exact)[0], 'in REST').to.equal(true);
      if (isShownBy(field)[1]) expect(isShownBy(exact)[1], 'in GraphQL').to.equal(true);
    });
  }
});

describe('the floating-point fields of GraphQL', () => {
  const floats = Object.values(graphqlSchema().getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => {
      const fields = type.getFields();
      const found = Object.values(fields).filter((field) => getNamedType(field.type).name === 'Float');
      return found.map(({ name, deprecationReason }) => ({ place: `${type.name}.${name}`, deprecationReason, fields }));
    });

  it('are US dollars, percentages, points and statistics, or name the exact field that replaces them', () => {
    const wrong = floats.filter(({ place, deprecationReason, fields }) => {
      if (
        /(Usd|Percent|priceChange24h|Points|verifiedBonus)$|^Outcome\.(move|benchmark|excess)$|^ThesisRecord\.|^Calibration\.|^StandingWithoutLinks\.linkedShare$|^LinkSign\.weight$/.test(
          place,
        )
      )
        return false;
      const [, exact = ''] = /^It is rounded\. (\w+) is exact\.$/.exec(deprecationReason ?? '') ?? [];
      const twin = fields[exact];
      return !twin || getNamedType(twin.type).name !== 'Wei';
    });
    expect(wrong.map(({ place }) => place)).to.deep.equal([]);
    expect(floats.length).to.be.above(40);
  });
});
