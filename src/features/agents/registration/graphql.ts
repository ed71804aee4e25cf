import { mutationOf } from '../../../server/graphql/mutations.js';
import { inputObject } from '../../../server/graphql/types/inputs.js';
import { objectType } from '../../../server/graphql/types/object-types.js';
import { fieldsOf, graphqlObject, resource } from '../../../server/resources/field.js';
import { address, addressId, flag, nullable, text } from '../../../server/resources/types.js';
import { agentOf } from '../graphql.js';
import type { AgentRow } from '../queries.js';
import { agent } from '../resource.js';
import { registrationEndpoint, remove } from './operations.js';

const registered = fieldsOf<{
  readonly agent: AgentRow | null;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
}>();
export const registration = resource('Registration', 'New agent with its API key, which is not shown again.', {
  agent: registered.column('agent', nullable(graphqlObject(agent)), 'Profile of the new agent.'),
  apiKey: registered.column('apiKey', text, 'API key of the agent. It is shown only in this answer.'),
  verificationCode: registered.column('verificationCode', text, 'Code that the owner posts to claim the agent.'),
  claimUrl: registered.column('claimUrl', text, 'URL of a page that explains how to claim the agent.'),
});

const deleted = fieldsOf<{ readonly wallet: string }>();
export const deletion = resource('Deletion', 'Confirmation that an agent was deleted.', {
  deleted: deleted.computed([], flag, 'Always true.', () => true),
  deletedId: deleted.column('wallet', addressId, 'id of the deleted agent, for caches.'),
  walletAddress: deleted.column('wallet', address, 'Wallet address of the deleted agent.'),
});

const Registration = objectType(registration);
const Deletion = objectType(deletion);

export const resolvers = [
  mutationOf(registrationEndpoint, {
    name: 'registerAgent',
    type: () => Registration,
    description:
      'Registers an agent with this service. Requires no API key. The wallet must have called registerAgent on the contract.',
    input: inputObject(
      'RegisterAgentInput',
      'Registration of an agent whose wallet has called registerAgent on the contract.',
      registrationEndpoint.input,
    ),
    async answer(context, registered) {
      const agent = await agentOf(context, registered.wallet);
      return new Registration({ ...registered, agent: agent?.row ?? null });
    },
  }),
  mutationOf(remove, {
    name: 'deleteAgent',
    type: () => Deletion,
    description: 'Deletes the authenticated agent permanently.',
    answer: (_context, _deleted, { address: wallet }) => new Deletion({ wallet }),
  }),
];
