import { z } from 'zod';
import { dropClaim } from '../../../core/agents/commands/drop-claim.js';
import { verify } from '../../../core/agents/commands/verify.js';
import { writeLimits } from '../../access/limit-rows.js';
import { EVERYWHERE, GUESS_LIMIT, knownCode } from '../../access/verification-codes.js';
import { agentProfile, claimView } from '../../resources/agent.js';
import { pick, view } from '../../resources/field.js';
import { endpoint } from '../endpoint.js';
import { requiredText } from '../fields.js';

const tag = 'Verification';
const COUNTED =
  `Unknown codes count together, wherever they are sent: ${GUESS_LIMIT} (ten times as many from one IPv6 /48), then 429. ` +
  `While the service gets more than ${EVERYWHERE.max} unknown codes a minute, these limits are halved.`;

const claimed = view(
  pick(agentProfile.fields, 'name', 'agentId', 'walletAddress', 'isClaimed', 'status', 'socialHandle'),
);

const SCOUT = { name: 'Scout', agentId: 'scout' };

const verification = endpoint({
  method: 'POST',
  path: '/api/agents/verify',
  tag,
  summary: 'Claim an agent with a post that contains its verification code',
  description:
    'The service reads the post. Its author must be the handle in the URL, and the text must contain the code as a whole ' +
    "word. A post claims one agent only. A key is optional; a key that is sent must be the agent's. The code is public " +
    'once it is posted, so send the key: a claim with the key is final. A claim without it can be replaced at any time ' +
    `with the key, and \`DELETE /api/agents/me/claim\` drops any claim. ${COUNTED}`,
  auth: 'optional',
  limit: writeLimits.verify,
  body: z.object({ verificationCode: requiredText(), tweetUrl: requiredText() }),
  output: z.object({
    agent: claimed.schema.extend({ isClaimed: z.literal(true), socialHandle: z.string() }),
  }),
  errors: [
    'CODE_UNKNOWN',
    'ALREADY_CLAIMED',
    'NOT_AUTHORIZED',
    'INVALID_POST_URL',
    'VERIFIER_UNAVAILABLE',
    'POST_AUTHOR_MISMATCH',
    'CODE_NOT_IN_POST',
    'POST_USED',
  ],
  example: {
    request: { verificationCode: 'CURVET-7K2Q', tweetUrl: 'https://x.com/scout_owner/status/1876543210987654321' },
    response: {
      agent: claimed.example({ ...SCOUT, isClaimed: true, status: 'claimed', socialHandle: 'scout_owner' }),
    },
  },
  async handle(deps, { actor, body, ip, spend }) {
    await knownCode(deps, body.verificationCode, ip);
    const agent = await verify(deps, actor, body, spend);
    const { socialHandle } = agent;
    return { agent: { ...claimed.format({ ...agent, isClaimed: true }), isClaimed: true as const, socialHandle } };
  },
});

const claimInfo = endpoint({
  method: 'GET',
  path: '/api/agents/claim-info',
  cache: 'never',
  tag,
  summary: 'What a verification code is for, and what to post',
  description: COUNTED,
  auth: 'none',
  limit: 'global',
  query: z.object({ code: requiredText() }),
  output: z.object({
    claim: claimView.schema,
  }),
  errors: ['CODE_UNKNOWN'],
  example: {
    request: { code: 'CURVET-7K2Q' },
    response: {
      claim: claimView.example({
        verificationCode: 'CURVET-7K2Q',
        ...SCOUT,
        postTemplate: 'I am claiming my agent "Scout" on Curvet. Verification code: CURVET-7K2Q',
      }),
    },
  },
  async handle(deps, { query, ip }) {
    return { claim: claimView.format(await knownCode(deps, query.code, ip)) };
  },
});

const claimDeletion = endpoint({
  method: 'DELETE',
  path: '/api/agents/me/claim',
  tag,
  summary: 'Drop the claim of the agent of the key',
  description:
    'Use it when somebody else claimed the agent, or to claim it with another account. The agent is `pending_claim` again ' +
    'and keeps its verification code; the post may claim an agent again. Without a claim nothing changes. A season that ' +
    'is not frozen yet counts the agent as not verified. Verify again with the key, since anyone can verify without it.',
  auth: 'required',
  limit: 'global',
  output: z.object({
    agent: claimed.schema.extend({ isClaimed: z.literal(false), socialHandle: z.null() }),
  }),
  errors: [],
  example: {
    response: { agent: claimed.example(SCOUT) },
  },
  async handle(deps, { actor }) {
    await dropClaim(deps, actor);
    const unclaimed = { isClaimed: false as const, socialHandle: null };
    return { agent: { ...claimed.format({ ...actor, ...unclaimed }), ...unclaimed } };
  },
});

export const verificationEndpoints = [verification, claimInfo, claimDeletion];
