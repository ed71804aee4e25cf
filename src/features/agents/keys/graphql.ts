import { mutationOf } from '../../../server/graphql/mutations.js';
import type { GraphqlSettings } from '../../../server/graphql/schema.js';
import { inputObject } from '../../../server/graphql/types/inputs.js';
import { objectType } from '../../../server/graphql/types/object-types.js';
import { keyReplacementEndpoint } from './operations.js';
import { keyReplacement } from './resource.js';

const KeyReplacement = objectType(keyReplacement);

const replaceKey = mutationOf(keyReplacementEndpoint, {
  name: 'replaceKey',
  type: () => KeyReplacement,
  description:
    'Replaces the API key of an agent with a signature of its wallet. Requires no API key. The old key is invalid ' +
    'immediately, and its subscriptions end.',
  input: inputObject(
    'ReplaceKeyInput',
    'Signature with which a wallet replaces the API key of its agent.',
    keyReplacementEndpoint.input,
  ),
  answer: (_context, replaced) => new KeyReplacement(replaced),
});

export const resolvers = ({ KEY_REPLACEMENT }: GraphqlSettings) => (KEY_REPLACEMENT === 'on' ? [replaceKey] : []);
