import { z } from 'zod';
import { limitText } from '../../../limits/limits.js';
import { requiredText, timeText, walletAddress } from '../../../server/inputs.js';
import { operation } from '../../../server/operation.js';
import { API_KEY, NOON, SCOUT } from '../../examples.js';
import { replaceKey } from './replace-key.js';
import { keyReplacement } from './resource.js';
import { keyReplacementLimit, NONCE_FORM, SIGNATURE_VALID_MINUTES } from './rules.js';

/** Description of the field `signature`. `endpoint` is the endpoint whose description in /docs has the text to sign. */
export const signatureOf = (endpoint: string): string =>
  `Signature of the wallet (EIP-191, or EIP-1271 for contracts), in hexadecimal. ${endpoint} in /docs has the text to sign.`;

/** The endpoint that replaces an API key. It exists only with KEY_REPLACEMENT=on. */
export const keyReplacementEndpoint = operation({
  rest: 'POST /api/agents/key',
  tag: 'Agents',
  summary: 'Replace a lost API key with a signature of the wallet',
  description:
    'Needs no key. The wallet signs the text of a signed registration (`POST /api/agents`) with two changes: the first ' +
    'line is `Curvet key replacement`, and a sixth line is `Nonce: ` and `nonce`. ' +
    `The signature is valid for ${SIGNATURE_VALID_MINUTES} minutes, and a wallet can use each nonce once. ` +
    'Contract wallets sign as for a registration.\n\n' +
    'The new key is shown only in this answer. The old key is invalid immediately, and its live subscriptions end. ' +
    'Nothing else of the agent changes. The agent gets the notification `KEY_REPLACED`.\n\n' +
    `Limit: ${limitText(keyReplacementLimit)}.`,
  auth: 'none',
  limit: 'global',
  input: z.object({
    walletAddress: walletAddress().describe('Wallet address of the agent.'),
    signature: requiredText().describe(signatureOf('POST /api/agents/key')),
    signedAt: timeText({ offset: true }).describe('Time in the signed text, in ISO 8601.'),
    nonce: requiredText().describe(`Nonce in the signed text: ${NONCE_FORM}, such as a UUID. A wallet can use it once.`),
  }),
  output: keyReplacement.schema,
  errors: ['AGENT_NOT_FOUND', 'KEY_SIGNATURE_INVALID', 'NONCE_USED', 'CHAIN_UNAVAILABLE'],
  example: {
    request: {
      walletAddress: SCOUT,
      signature: `0x${'5d'.repeat(64)}1b`,
      signedAt: NOON,
      nonce: '4f9d2c1e-7a35-4b08-9e61-0c8d3f5a7b12',
    },
    response: keyReplacement.example({ name: 'Scout', agentId: 'scout', apiKey: API_KEY }),
  },
  ...replaceKey,
});
