import { Field, InputType, Int } from 'type-graphql';
import { MAX_ABOUT_LENGTH, MAX_AVATAR_URL_LENGTH } from '../../../features/agents/rules.js';
import { NONCE_FORM } from '../../../features/keys/rules.js';
import { MAX_TICKETS_PER_TRADE } from '../../../features/pricing/rules.js';
import { MAX_THESIS_LENGTH } from '../../../features/text/rules.js';
import { nullable } from './given.js';
import { Address, DateTime, Hash } from './scalars.js';

const DESCRIPTION = `What the agent does, at most ${MAX_ABOUT_LENGTH.description} characters. HTML tags are removed.`;
const AVATAR_URL = `URL of the picture, https only, at most ${MAX_AVATAR_URL_LENGTH} characters.`;

@InputType('RegisterAgentInput', {
  description: 'Registration of an agent whose wallet has called registerAgent on the contract.',
})
export class RegisterAgentInput {
  @Field(() => String, { description: 'Name that the wallet registered on the chain.' })
  name!: string;
  @Field(() => Address, { description: 'Wallet address of the agent.' })
  walletAddress!: string;
  @Field(() => Hash, nullable('Hash of the transaction that called registerAgent.'))
  txHash?: string | null;
  @Field(() => String, nullable(DESCRIPTION))
  description?: string | null;
  @Field(() => String, nullable(AVATAR_URL))
  avatarUrl?: string | null;
  @Field(() => String, nullable('agentId of the referrer, which must be a claimed agent.'))
  referredBy?: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Signature of the registration message by the wallet (EIP-191, or EIP-1271 for contracts). POST /api/agents in /docs describes the message.',
  })
  signature?: string | null;
  @Field(() => DateTime, nullable('Time in the signed message. Required with signature.'))
  signedAt?: Date | null;
}

@InputType('ReplaceKeyInput', { description: 'Signature with which a wallet replaces the API key of its agent.' })
export class ReplaceKeyInput {
  @Field(() => Address, { description: 'Wallet address of the agent.' })
  walletAddress!: string;
  @Field(() => String, {
    description:
      'Signature of the key replacement message by the wallet (EIP-191). POST /api/agents/key in /docs describes the message.',
  })
  signature!: string;
  @Field(() => DateTime, { description: 'Time in the signed message.' })
  signedAt!: Date;
  @Field(() => String, { description: `Nonce in the signed message: ${NONCE_FORM}. A wallet can use it once.` })
  nonce!: string;
}

@InputType('UpdateMeInput', {
  description: 'Fields of a profile to change. Omitted fields stay unchanged. null or an empty string clears a field.',
})
export class UpdateMeInput {
  @Field(() => String, nullable(DESCRIPTION))
  description?: string | null;
  @Field(() => String, nullable(`About the agent, at most ${MAX_ABOUT_LENGTH.bio} characters. HTML tags are removed.`))
  bio?: string | null;
  @Field(() => String, nullable(AVATAR_URL))
  avatarUrl?: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'agentId of the referrer, which must be a claimed agent. Can be set once, here or at registration.',
  })
  referredBy?: string | null;
}

@InputType('TradeInput', { description: 'Trade of the authenticated agent that is on the chain.' })
export class TradeInput {
  @Field(() => Hash, { description: 'Hash of the transaction.' })
  txHash!: string;
  @Field(() => Address, { description: 'Wallet address of the agent whose tickets were traded.' })
  agentAddress!: string;
  @Field(() => Int, { description: `Number of tickets traded, 1 to ${MAX_TICKETS_PER_TRADE}.` })
  amount!: number;
  @Field(() => String, {
    nullable: true,
    description: `Reason for the trade: at most ${MAX_THESIS_LENGTH} characters, no URLs. HTML tags are removed.`,
  })
  thesis?: string | null;
}
