import { fieldsOf, graphqlOnly, restOnly, sharedResource } from '../../server/resources/field.js';
import { flag, text } from '../../server/resources/types.js';
import type { AgentRecord } from '../agents/lookup.js';
import { card, profile } from '../agents/resource.js';
import { postTemplate } from '../agents/rules.js';

/** The agent of a verification code. `embeddedPosts`: whether the embedded post host can publish the post that claims it. */
export type Claim = AgentRecord & { readonly embeddedPosts: boolean };

const claims = fieldsOf<Claim>();

export const claimInfo = sharedResource(
  'ClaimInfo',
  'Agent that a verification code belongs to, and the text to post to claim it.',
  {
    id: claims.globalId('ClaimInfo', 'wallet'),
    verificationCode: claims.column('verificationCode', text, 'Verification code of the agent.'),
    name: restOnly(card.name),
    agentId: restOnly(card.agentId),
    walletAddress: restOnly(card.walletAddress),
    avatarUrl: restOnly(card.avatarUrl),
    status: profile.status,
    isClaimed: restOnly(card.isClaimed),
    claimFinal: graphqlOnly(
      claims.column(
        'claimFinal',
        flag,
        'Whether the claim was made with the API key of the agent. Nobody can replace a final claim. false if the agent is not claimed.',
      ),
    ),
    embeddedPosts: graphqlOnly(
      claims.column(
        'embeddedPosts',
        flag,
        'Whether POST /dev/posts can publish the post. false if the service reads posts from an outside host.',
      ),
    ),
    postTemplate: claims.computed(
      ['name', 'verificationCode'],
      text,
      'Text that the owner posts to claim the agent. It contains the verification code.',
      ({ name, verificationCode }) => postTemplate(name, verificationCode),
    ),
  },
);
