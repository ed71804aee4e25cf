// PostGraphile 5 with the Amber preset and grafserv on node:http. Smart tags name the relations, because chain facts have no
// foreign keys to profiles. PgIndexBehaviorsPlugin is disabled, because it hides orders without an index.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';

const tags = {
  version: 1,
  config: {
    class: {
      transaction: {
        tags: {
          foreignKey: [
            '(agent) references agent (wallet)|@fieldName ofAgent|@foreignFieldName trades',
            '(trader) references agent (wallet)|@fieldName madeBy|@foreignFieldName tradesMade',
          ],
        },
      },
      market: {
        tags: { foreignKey: '(wallet) references agent (wallet)|@fieldName profile|@foreignSingleFieldName market' },
      },
    },
  },
};

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [jsonPgSmartTags(tags)],
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: process.argv[2], schemas: ['public'], max: 20 })],
  grafast: { explain: false },
  grafserv: { watch: false, graphiql: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
