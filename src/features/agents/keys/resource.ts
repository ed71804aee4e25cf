import { fieldsOf, pick, sharedResource } from '../../../server/resources/field.js';
import { text } from '../../../server/resources/types.js';
import { card } from '../resource.js';

const newKeys = fieldsOf<{ readonly apiKey: string }>();

export const keyReplacement = sharedResource('KeyReplacement', 'Agent with its new API key, which is not shown again.', {
  ...pick(card, 'name', 'agentId', 'walletAddress'),
  apiKey: newKeys.column('apiKey', text, 'New API key of the agent. It is shown only in this answer.'),
});
