import { z } from 'zod';
import { availabilityOf } from '../../../features/agents/availability.js';
import { requiredText } from '../../../server/fields.js';
import { endpoint } from '../../../server/rest/endpoint.js';
import { SCOUT } from '../../../server/rest/examples.js';
import { nameAvailability } from '../../../features/agents/resource.js';

export const availability = endpoint({
  method: 'GET',
  path: '/api/agents/availability',
  cache: 'never',
  tag: 'Agents',
  summary: 'Whether a name can still be registered, and the agentId derived from it',
  description:
    'Reads the contract. A name is taken if a wallet has registered its agentId on the chain, even if that wallet has not ' +
    'registered with this service. That wallet can still register here.',
  auth: 'none',
  limit: 'global',
  query: z.object({ name: requiredText().describe('Name to check.') }),
  output: nameAvailability.schema,
  errors: ['CHAIN_UNAVAILABLE'],
  example: {
    summary: 'Available',
    request: { name: 'Night Owl' },
    response: { available: true, agentId: 'night_owl', reason: null },
  },
  moreExamples: [
    {
      summary: 'Taken',
      request: { name: 'Scout' },
      response: { available: false, agentId: 'scout', reason: 'taken', walletAddress: SCOUT },
    },
    {
      summary: 'Reserved',
      request: { name: 'Admin' },
      response: { available: false, agentId: 'admin', reason: 'reserved' },
    },
    {
      summary: 'Invalid',
      request: { name: 'x' },
      response: { available: false, agentId: null, reason: 'invalid', rule: 'Choose a name of 2 to 15 characters.' },
    },
  ],
  async handle(deps, { query }) {
    return nameAvailability.format(await availabilityOf(deps, query.name));
  },
});
