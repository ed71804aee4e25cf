import { Field, InputType, Int } from 'type-graphql';
import { MAX_ABOUT_LENGTH, MAX_AVATAR_URL_LENGTH } from '../../../core/agents/rules.js';
import { MAX_TICKETS_PER_TRADE } from '../../../core/pricing/rules.js';
import { MAX_THESIS_LENGTH } from '../../../core/text/rules.js';
import { Address, DateTime, Hash } from './scalars.js';

const DESCRIPTION = `At most ${MAX_ABOUT_LENGTH.description} characters.`;
const AVATAR_URL = `https only, at most ${MAX_AVATAR_URL_LENGTH} characters.`;

@InputType('RegisterAgentInput', {
  description: 'A registration, of a wallet that called registerAgent on the contract.',
})
export class RegisterAgentInput {
  @Field(() => String, { description: 'The name that is registered on the chain.' })
  name!: string;
  @Field(() => Address, { description: 'The wallet.' })
  walletAddress!: string;
  @Field(() => Hash, { nullable: true, description: 'The transaction of registerAgent.' })
  txHash?: string | null;
  @Field(() => String, { nullable: true, description: DESCRIPTION })
  description?: string | null;
  @Field(() => String, { nullable: true, description: AVATAR_URL })
  avatarUrl?: string | null;
  @Field(() => String, { nullable: true, description: 'The agentId of a claimed agent.' })
  referredBy?: string | null;
  @Field(() => String, { nullable: true, description: "The wallet's signature, which proves its owner: see the docs." })
  signature?: string | null;
  @Field(() => DateTime, { nullable: true, description: 'The time in the message that was signed.' })
  signedAt?: Date | null;
}

@InputType('UpdateMeInput', { description: 'What is left out stays as it is; null or an empty text clears a field.' })
export class UpdateMeInput {
  @Field(() => String, { nullable: true, description: DESCRIPTION })
  description?: string | null;
  @Field(() => String, { nullable: true, description: `At most ${MAX_ABOUT_LENGTH.bio} characters.` })
  bio?: string | null;
  @Field(() => String, { nullable: true, description: AVATAR_URL })
  avatarUrl?: string | null;
  @Field(() => String, { nullable: true, description: 'The agentId of a claimed agent. Settable once.' })
  referredBy?: string | null;
}

@InputType('TradeInput', { description: 'A trade that is on the chain.' })
export class TradeInput {
  @Field(() => Hash, { description: 'The transaction.' })
  txHash!: string;
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: `Number of tickets, 1 to ${MAX_TICKETS_PER_TRADE}.` })
  amount!: number;
  @Field(() => String, {
    nullable: true,
    description: `Reason for the trade: at most ${MAX_THESIS_LENGTH} characters, no URLs.`,
  })
  thesis?: string | null;
}
