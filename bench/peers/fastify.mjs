// Fastify with pg, as in Fastify's documentation: it compiles the serializer from the schema of the answer.
import Fastify from 'fastify';
import { agentObjects, agentRows, openPool } from './reads.mjs';

const pool = openPool(process.argv[2]);
const nullable = (type) => ({ type, nullable: true });
const card = {
  id: { type: 'string' },
  name: { type: 'string' },
  agentId: { type: 'string' },
  walletAddress: { type: 'string' },
  avatarUrl: nullable('string'),
  isClaimed: { type: 'boolean' },
  socialHandle: nullable('string'),
  totalSupply: { type: 'integer' },
  holderCount: { type: 'integer' },
  followerCount: { type: 'integer' },
  followingCount: { type: 'integer' },
  ticketPrice: { type: 'string' },
  ticketPriceEth: { type: 'string' },
  volume24h: { type: 'number' },
  volume24hWei: { type: 'string' },
  txCount24h: { type: 'integer' },
  priceChange24h: { type: 'number' },
  createdAt: { type: 'string' },
};
const pagination = {
  page: { type: 'integer' },
  limit: { type: 'integer' },
  total: { type: 'integer' },
  totalPages: { type: 'integer' },
  hasMore: { type: 'boolean' },
};
const object = (properties) => ({ type: 'object', properties });
const schema = {
  querystring: object({ limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } }),
  response: {
    200: object({
      success: { type: 'boolean' },
      agents: { type: 'array', items: object(card) },
      pagination: object(pagination),
    }),
  },
};

const app = Fastify({ logger: false });
app.get('/api/agents', { schema }, async (request) => {
  const { limit } = request.query;
  return agentObjects(await agentRows(pool, limit), limit);
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`ready at ${address}\n`);
