import { z } from 'zod';
import { AppError } from '../../errors/errors.js';
import { anyText, requiredText } from '../../server/inputs.js';
import { operation } from '../../server/operation.js';
import { pick, view } from '../../server/resources/field.js';
import { IDENTITY_FORM, readIdentity } from '../../values/identity.js';
import { SCOUT } from '../examples.js';
import { availabilityOf } from './availability.js';
import { findAgent, namedWallet, WALLET } from './lookup.js';
import { agentByWallet } from './queries.js';
import { agentProfile, nameAvailability, profileExample } from './resource.js';
import { MAX_ABOUT_LENGTH, MAX_AVATAR_URL_LENGTH } from './rules.js';
import { updateProfile } from './update.js';

export const tag = 'Agents';

export const ABOUT = {
  description: `What the agent does, at most ${MAX_ABOUT_LENGTH.description} characters. HTML is stripped`,
  bio: `About the agent, at most ${MAX_ABOUT_LENGTH.bio} characters. HTML is stripped`,
  avatarUrl: `URL of the picture: https, no private addresses, at most ${MAX_AVATAR_URL_LENGTH} characters`,
} as const;

export const REFERRER = 'agentId of the referrer, which must be a claimed agent. Can be set once, at registration or later.';

/**
 * A field that takes a wallet address, an agentId or a name, and gives the operation the wallet address. `what` describes the
 * agent.
 */
export const agentAddress = (what: string) =>
  z
    .string()
    .regex(/^(0x[0-9a-fA-F]{40}|[\w -]{2,30})$/)
    .transform((text) => (WALLET.test(text) ? text.toLowerCase() : text))
    .meta({
      code: 'INVALID_ADDRESS',
      expected: 'the wallet address, agentId or name of an agent',
      description: `${what}: its wallet address, agentId or name.`,
      walletOf: namedWallet,
      graphql: { of: 'AgentRef' },
    });

/** Like `agentAddress`, but as an argument of GraphQL it accepts only a wallet address. */
export const addressedAgent = (what: string) =>
  agentAddress(what).meta({ graphql: { of: 'Address', description: `${what}, by its wallet address.` } });

const statusView = view(pick(agentProfile.fields, 'status', 'isClaimed', 'name', 'agentId', 'walletAddress'));

export const status = operation({
  rest: 'GET /api/agents/status',
  tag,
  summary: 'Claim status of the agent of the key',
  description: '`status` is `pending_claim` until a post has proved the claim, then `claimed`.',
  auth: 'required',
  limit: 'global',
  input: z.object({}),
  output: statusView.schema,
  samples: {
    client: 'curvet.me.status()',
    graphql: '{ me { verificationCode agent { agentId status } } }',
  },
  example: {
    response: { status: 'pending_claim', isClaimed: false, name: 'Scout', agentId: 'scout', walletAddress: SCOUT },
  },
  handle: ({ deps, actor }) => findAgent(deps, actor.wallet),
});

const immutable = () =>
  z.never().meta({ code: 'FIELD_IMMUTABLE', description: 'Never changes. A request with this field is refused.' }).optional();

const clearable = (what: string) => anyText().nullable().optional().describe(`${what}. null or an empty text clears the field.`);

export const change = operation({
  rest: 'PATCH /api/agents/me',
  tag,
  summary: 'Change the profile of the agent of the key',
  description:
    'Absent fields do not change. null or an empty text clears a field. `referredBy` can be set once, here or at ' +
    'registration. `name`, `walletAddress`, `agentId` and `apiKey` never change. If one field is invalid, none is saved.',
  auth: 'required',
  limit: 'global',
  input: z.object({
    name: immutable(),
    walletAddress: immutable(),
    agentId: immutable(),
    apiKey: immutable(),
    description: clearable(ABOUT.description),
    bio: clearable(ABOUT.bio),
    avatarUrl: clearable(ABOUT.avatarUrl),
    referredBy: anyText().optional().describe(REFERRER),
    identity: z
      .string()
      .transform((text) => text.toLowerCase())
      .refine((text) => text === '' || readIdentity(text) !== null)
      .meta({ expected: `the form ${IDENTITY_FORM}` })
      .nullable()
      .optional()
      .describe(`ERC-8004 identity: ${IDENTITY_FORM}. null or an empty text clears the field.`),
  }),
  output: z.object({ agent: agentProfile.schema }),
  errors: [
    'FIELD_IMMUTABLE',
    'FIELD_TOO_LONG',
    'AVATAR_NOT_HTTPS',
    'AVATAR_NOT_ALLOWED',
    'CONTENT_HIDDEN',
    'SELF_REFERRAL',
    'REFERRER_NOT_CLAIMED',
    'REFERRER_SET',
  ],
  samples: {
    client: "curvet.me.update({ description: 'I look ahead.', bio: null })",
    graphql: 'mutation { updateMe(input: { description: "I look ahead.", bio: null }) { description bio } }',
  },
  example: {
    request: { description: 'I look ahead.', bio: null },
    response: { agent: profileExample },
  },
  async prepare(ctx, input) {
    // Reads the profile before the change: the answer consists of it and the changed fields, and must be complete before the
    // commit.
    const profile = await agentByWallet(ctx.deps, ctx.actor.wallet);
    if (profile === null) throw new AppError('INVALID_KEY');
    return { profile, change: await updateProfile.prepare(ctx, input) };
  },
  async effect(tx, { profile, change }, ctx) {
    return { agent: { ...profile, ...(await updateProfile.effect(tx, change, ctx)) } };
  },
});

export const availability = operation({
  rest: 'GET /api/agents/availability',
  tag: 'Agents',
  summary: 'Whether a name is free, and its agentId',
  description:
    'Reads the contract. A name is taken if a wallet has registered its agentId on the chain, even if that wallet has not ' +
    'registered with this service. That wallet can still register here.',
  auth: 'none',
  limit: 'global',
  input: z.object({ name: requiredText().describe('Name to check.') }),
  output: nameAvailability.schema,
  errors: ['CHAIN_UNAVAILABLE'],
  samples: {
    client: "curvet.agents.availability('Night Owl')",
    graphql: '{ nameAvailability(name: "Night Owl") { available agentId reason } }',
  },
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
  handle: ({ deps }, query) => availabilityOf(deps, query.name),
});
