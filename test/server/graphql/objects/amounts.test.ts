import { expect } from 'chai';
import { getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { graphqlSchema } from '../../../../src/graphql.js';
import { Eth, Wei } from '../../../../src/server/graphql/types/scalars.js';
import { freshIp, success } from '../../../support/market/agents.js';
import { populate } from '../../../support/market/market.js';
import { data } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

/** All fields of the schema with their types, as `Type.field`. */
const fields = Object.values(graphqlSchema().getTypeMap())
  .filter((type) => isObjectType(type) || isInterfaceType(type))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({
      ...field,
      place: `${type.name}.${field.name}`,
      type: getNamedType(field.type).name,
      siblings: type.getFields(),
    })),
  );

describe('amounts in GraphQL', () => {
  it('are a Float only for US dollars, percentages and points, or they name the exact field that replaces them', () => {
    const wrong = fields.filter(({ place, type, deprecationReason, siblings }) => {
      if (type !== 'Float' || /(Usd|Percent|priceChange24h|Points|verifiedBonus)$/.test(place)) return false;
      const [, exact = ''] = /^It is rounded\. (\w+) is exact\.$/.exec(deprecationReason ?? '') ?? [];
      const twin = siblings[exact];
      return !twin || getNamedType(twin.type).name !== 'Wei';
    });
    expect(wrong.map(({ place }) => place)).to.deep.equal([]);
    expect(fields.filter(({ type }) => type === 'Float').length).to.be.above(40);
  });

  it('have the scalar of the unit that their description names', () => {
    for (const [unit, scalar] of [
      [/\bin wei\b/, 'Wei'],
      [/\bin ETH\b/, 'Eth'],
      [/\bin US dollars\b/, 'Float'],
    ] as const) {
      const wrong = fields.filter(
        ({ type, description, deprecationReason, place }) =>
          unit.test(description ?? '') &&
          type !== scalar &&
          !deprecationReason &&
          place !== 'UnsignedTransaction.value',
      );
      expect(
        wrong.map(({ place }) => place),
        scalar,
      ).to.deep.equal([]);
    }
  });

  it('keep their sign', () => {
    expect([Wei.serialize(-3n), Eth.serialize(-3n)]).to.deep.equal(['-3', '-0.000000000000000003']);
  });

  describe('points', () => {
    const world = useWorld({ TRUST_PROXY: '1' });

    it('are rounded to nine decimals, over REST too', async () => {
      const { ada } = await populate(world);
      await runSql(
        world.deps,
        'update agent_season_points set volume_points = 31.568640000000002, total_points = 0.1 + 0.2::float8 where agent = $1',
        [ada.wallet],
      );
      const expected = { volumePoints: 31.56864, totalPoints: 0.3 };
      const { agent } = await data(world, '{ agent(agentId: "ada") { points { volumePoints totalPoints } } }');
      expect(agent.points).to.deep.equal(expected);
      const { leaderboard } = success(await world.ask('GET', '/api/seasons/leaderboard', { headers: freshIp() })) as {
        leaderboard: { totalPoints: number; breakdown: object }[];
      };
      expect(leaderboard.find(({ totalPoints }) => totalPoints === 0.3)?.breakdown).to.deep.include(expected);
    });
  });
});
