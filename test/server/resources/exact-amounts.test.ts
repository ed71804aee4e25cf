import { expect } from 'chai';
import { getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { graphqlSchema } from '../../../src/graphql.js';
import type { Field, Table } from '../../../src/server/resources/field.js';
import { resources } from './all.js';

/** Averages have no exact wei: their description names the amount that they are a quotient of. */
const QUOTIENT = /A quotient, rounded down to a wei: (\w+)(?: of GraphQL)? is exact\.$/;
const SAME = /^Same as (\w+)\.$/;

const isFloat = ({ graphqlType }: Field<never>) => graphqlType.of === 'Float';
const isWei = (field: Field<never> | undefined) => field?.notes.unit === 'wei';
const facesOf = ({ faces }: Field<never>) => [faces.rest !== false, faces.graphql !== false];

/** A row whose columns are amounts that a floating-point number of ETH cannot hold. */
const row = new Proxy({} as never, {
  get: (_, column: string) => 10n ** 20n + BigInt(`0x${Buffer.from(column).toString('hex').slice(0, 14)}`),
});

/** The field with the same amount in wei. */
function exactOf(name: string, table: Table): Field<never> | undefined {
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

  it('include volumes and every part of the profit and loss', () => {
    const names = amounts.map(({ type, name }) => `${type}.${name}`);
    expect(names).to.include.members(['Agent.volume24h', 'Trend.volume24h', 'MarketFigures.volumeEth']);
    expect(names).to.include.members(['PnlSummary.realizedEth', 'FeePnl.pendingEth', 'RealizedTrade.buyPrice']);
    expect(quotients.map(({ type, name }) => `${type}.${name}`)).to.have.members([
      ...['Trade.pricePerUnit', 'OpenHolding.avgCostBasis', 'OpenHolding.currentPrice', 'Position.avgCostBasis'],
    ]);
  });

  for (const amount of amounts) {
    const { type, name, field, table } = amount;
    if (quotients.includes(amount)) {
      it(`names the exact amount that it is a quotient of: ${type}.${name}`, () => {
        const [, exact = ''] = QUOTIENT.exec(field.description) ?? [];
        expect(isWei(table[exact]), exact).to.equal(true);
      });
      continue;
    }
    it(`has the same amount in wei beside it: ${type}.${name}`, () => {
      const exact = exactOf(name, table);
      if (!exact) return expect.fail('no field in wei');
      const value = field.value(row);
      expect(exact.value(row)).to.equal(value).and.to.be.a('bigint');
      expect(exact.rest(row)).to.equal(String(value));
      expect(String(exact.graphql(row))).to.equal(String(value));
      expect(exact.graphqlType.nullable).to.equal(field.graphqlType.nullable);
      if (facesOf(field)[0]) expect(facesOf(exact)[0], 'in REST').to.equal(true);
      if (facesOf(field)[1]) expect(facesOf(exact)[1], 'in GraphQL').to.equal(true);
    });
  }
});

describe('the fields of GraphQL that are floating-point numbers', () => {
  const floats = Object.values(graphqlSchema().getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => {
      const fields = type.getFields();
      const found = Object.values(fields).filter((field) => getNamedType(field.type).name === 'Float');
      return found.map(({ name, deprecationReason }) => ({ place: `${type.name}.${name}`, deprecationReason, fields }));
    });

  it('are US dollars, percentages and points, or name the exact field that replaces them', () => {
    const wrong = floats.filter(({ place, deprecationReason, fields }) => {
      if (/(Usd|Percent|priceChange24h|Points|verifiedBonus)$/.test(place)) return false;
      const [, exact = ''] = /^It is rounded\. (\w+) is exact\.$/.exec(deprecationReason ?? '') ?? [];
      const twin = fields[exact];
      return !twin || getNamedType(twin.type).name !== 'Wei';
    });
    expect(wrong.map(({ place }) => place)).to.deep.equal([]);
    expect(floats.length).to.be.above(40);
  });
});
