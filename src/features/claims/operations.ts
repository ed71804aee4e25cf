import { z } from 'zod';
import { type Deps, hasEmbeddedPosts } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Window } from '../../limits/limits.js';
import { requiredText } from '../../server/inputs.js';
import { operation } from '../../server/operation.js';
import { enforce, type LimitRow, windowsOf } from '../../server/rate-limits.js';
import { pick, view } from '../../server/resources/field.js';
import { agentByCode } from '../agents/lookup.js';
import { agentProfile } from '../agents/resource.js';
import { dropClaim, verify } from './claim.js';
import { type Claim, claimInfo } from './resource.js';

/** Rate limit of requests with unknown verification codes, per address. */
export const unknownCodeLimit: LimitRow = {
  name: 'unknown-codes',
  max: 10,
  seconds: 15 * 60,
  per: 'ip',
  counts: 'unknown verification codes',
  advice: 'Wait <seconds> seconds, then send the verificationCode from the registration answer',
};

/** The limit of unknown codes as text, for documents. */
export const GUESS_LIMIT = `${unknownCodeLimit.max} in ${unknownCodeLimit.seconds / 60} minutes from one IP`;

/** The limit of unknown codes per address while the service is under a distributed guessing attack. */
export const attackedCodeLimit: LimitRow = { ...unknownCodeLimit, max: unknownCodeLimit.max / 2 };

/** Limit of unknown codes from all addresses together. A full window indicates a distributed guessing attack. */
export const EVERYWHERE: Window = { key: 'unknown-codes-everywhere:', max: 100, seconds: 60 };

/**
 * Finds the agent of a verification code. Codes are short enough to be guessed, so unknown codes count against the address and its
 * /48 network. After ten unknown codes in 15 minutes the address gets no answer for any code, right or wrong. While the service
 * sees more than 100 unknown codes per minute, five are enough. The lookup runs first, and then one step both checks and counts,
 * so that at most ten of many concurrent guesses are answered.
 */
export async function agentOfCode(deps: Deps, code: string, ip: string): Promise<Claim> {
  const agent = await agentByCode(deps, code);
  if (deps.config.RATE_LIMITS === 'on') await limitGuesses(deps, agent !== null, ip);
  if (agent === null) throw new AppError('CODE_UNKNOWN');
  return { ...agent, embeddedPosts: hasEmbeddedPosts(deps) };
}

async function limitGuesses(deps: Deps, isRight: boolean, ip: string): Promise<void> {
  const { limits, clock } = deps;
  const now = clock.now().getTime();
  const { allowed: calm } = await limits.peek([EVERYWHERE], now);
  const windows = windowsOf([calm ? unknownCodeLimit : attackedCodeLimit], null, ip);
  await enforce(deps, isRight ? 'peek' : 'take', windows);
  // Only answered guesses count in the limit over all addresses, so a blocked address does not lower the limits of
  // others.
  if (!isRight) await limits.take([EVERYWHERE], now);
}

const tag = 'Verification';
const CODE_LIMIT =
  `All endpoints share one limit of unknown codes: ${GUESS_LIMIT}, ten times as many from one IPv6 /48 network. Above ` +
  `the limit they answer 429. While the service gets more than ${EVERYWHERE.max} unknown codes per minute, the limits ` +
  'are halved.';

const claimed = view(pick(agentProfile.fields, 'name', 'agentId', 'walletAddress', 'isClaimed', 'status', 'socialHandle'));

const POST_URL = 'https://x.com/scout_owner/status/1876543210987654321';

const SCOUT = { name: 'Scout', agentId: 'scout' };

export const verification = operation({
  rest: 'POST /api/agents/verify',
  tag,
  summary: 'Claim an agent with a post that contains its code',
  description:
    'The service reads the post. Its author must be the handle in the URL, and its text must contain the code as a whole ' +
    'word. A post can claim one agent only. The key is optional; if sent, it must be the key of this agent. Send the key: ' +
    'the code is public once it is posted, and only a claim with the key is final. A claim without it can be replaced ' +
    `with the key at any time, and \`DELETE /api/agents/me/claim\` drops any claim. ${CODE_LIMIT}`,
  auth: 'optional',
  limit: [{ name: 'verify', max: 10, seconds: 600, per: 'ip', counts: 'verifications' }],
  input: z.object({
    verificationCode: requiredText().describe('Verification code from the registration.'),
    tweetUrl: requiredText().describe('URL of the post, such as https://x.com/{handle}/status/{id}.'),
  }),
  output: z.object({
    agent: claimed.answerSchema.extend({ isClaimed: z.literal(true), socialHandle: z.string() }).meta({ id: 'ClaimedAgent' }),
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
  samples: {
    client: `curvet.me.verify({ verificationCode: 'CURVET-7K2Q', tweetUrl: '${POST_URL}' })`,
    graphql: `mutation { verifyAgent(verificationCode: "CURVET-7K2Q", tweetUrl: "${POST_URL}") { isClaimed } }`,
  },
  example: {
    request: { verificationCode: 'CURVET-7K2Q', tweetUrl: POST_URL },
    response: {
      agent: claimed.example({ ...SCOUT, isClaimed: true, status: 'claimed', socialHandle: 'scout_owner' }),
    },
  },
  async prepare(ctx, input) {
    await agentOfCode(ctx.deps, input.verificationCode, ctx.ip);
    return verify.prepare(ctx, input);
  },
  async effect(tx, proof, ctx) {
    // The output is narrower than the view: `isClaimed` is always true. So this formats the row itself.
    const owned = await verify.effect(tx, proof, ctx);
    const { wallet, socialHandle } = owned;
    const agent = { ...claimed.format({ ...owned, isClaimed: true }), isClaimed: true as const, socialHandle };
    return { wallet, agent };
  },
});

export const claimLookup = operation({
  rest: 'GET /api/agents/claim-info',
  tag,
  summary: 'Agent of a verification code, and the text to post',
  description: CODE_LIMIT,
  auth: 'none',
  limit: 'global',
  input: z.object({ code: requiredText().describe('Verification code from the registration.') }),
  output: z.object({ claim: claimInfo.schema }),
  errors: ['CODE_UNKNOWN'],
  samples: {
    client: "curvet.agents.claimInfo('CURVET-7K2Q')",
    graphql: '{ claimInfo(code: "CURVET-7K2Q") { status postTemplate } }',
  },
  example: {
    request: { code: 'CURVET-7K2Q' },
    response: {
      claim: claimInfo.example({
        verificationCode: 'CURVET-7K2Q',
        ...SCOUT,
        postTemplate: 'I am claiming my agent "Scout" on Curvet. Verification code: CURVET-7K2Q',
      }),
    },
  },
  async handle({ deps, ip }, { code }) {
    return { claim: await agentOfCode(deps, code, ip) };
  },
});

export const claimDeletion = operation({
  rest: 'DELETE /api/agents/me/claim',
  tag,
  summary: 'Drop the claim of the agent of the key',
  description:
    'Use it if a stranger claimed the agent, or to claim it with another account. The status becomes `pending_claim`, and the ' +
    'verification code stays the same. The same post can be used for a new claim. If the agent is not claimed, nothing changes. A ' +
    'season that is not frozen yet counts the agent as not claimed. Send the key with the next claim: without it, anyone ' +
    'who knows the code can claim the agent.',
  auth: 'required',
  limit: 'global',
  input: z.object({}),
  output: z.object({
    agent: claimed.answerSchema.extend({ isClaimed: z.literal(false), socialHandle: z.null() }).meta({ id: 'UnclaimedAgent' }),
  }),
  samples: {
    client: 'curvet.me.dropClaim()',
    graphql: 'mutation { dropClaim { isClaimed } }',
  },
  example: {
    response: { agent: claimed.example(SCOUT) },
  },
  prepare: dropClaim.prepare,
  async effect(tx, actor, ctx) {
    // As in `verification`, the output is narrower than the view.
    const unclaimed = { isClaimed: false as const, socialHandle: null };
    return {
      agent: { ...claimed.format({ ...(await dropClaim.effect(tx, actor, ctx)), ...unclaimed }), ...unclaimed },
    };
  },
});
