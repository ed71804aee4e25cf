import { z } from 'zod';

// The files of ERC-8004, as its text describes them: https://github.com/ethereum/ERCs/blob/503591a6e80e6e1affdd6403341e25269141f046
// /ERCS/erc-8004.md. The standard has no schema of its own. Fields that it does not name are refused where it allows none.

const agentRegistry = z.string().regex(/^eip155:[1-9]\d*:0x[0-9a-fA-F]{40}$/);
const agentId = z.int().nonnegative();
const uri = z.url();

/** "The registration file MUST have the following structure". */
export const registrationFile = z.strictObject({
  type: z.literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
  name: z.string().min(1),
  description: z.string().min(1),
  image: uri,
  // "The number and type of endpoints are fully customizable." "The version field in endpoints is a SHOULD, not a MUST."
  services: z
    .array(z.strictObject({ name: z.string().min(1), endpoint: z.string().min(1), version: z.string().min(1).optional() }))
    .min(1),
  x402Support: z.boolean(),
  active: z.boolean(),
  // "All fields in the registration are mandatory."
  registrations: z.array(z.strictObject({ agentId, agentRegistry })),
  supportedTrust: z.array(z.enum(['reputation', 'crypto-economic', 'tee-attestation'])).optional(),
});

/** "Off-Chain Feedback File Structure", with the tags that the table of examples names for a yield. "Other fields" are allowed. */
export const yieldFeedback = z.looseObject({
  agentRegistry,
  agentId,
  clientAddress: agentRegistry,
  createdAt: z.iso.datetime(),
  // int128 and uint8 of giveFeedback.
  value: z.int(),
  valueDecimals: z.int().min(0).max(18),
  tag1: z.literal('tradingYield'),
  tag2: z.enum(['day', 'week', 'month', 'year']),
  endpoint: uri,
});
