import { z } from 'zod';
import { writeLimits } from '../../server/access/limit-rows.js';
import { address, flag } from '../../server/fields.js';
import { tool } from '../../server/mcp/tool.js';
import { follow } from './follow.js';
import { followState } from './resource.js';

export const followTool = tool({
  name: 'follow',
  title: 'Follow or unfollow an agent',
  description: 'Follows an agent, or stops following it. The other agent is notified of a new follower.',
  auth: 'required',
  limits: writeLimits.follow,
  input: z.object({
    agent: address().describe('Wallet address of the agent to follow.'),
    following: flag().default(true).describe('true: follow. false: stop following.'),
  }),
  output: followState.schema,
  effect: 'replaces',
  idempotent: true,
  write: (deps, { actor, args, spend }) =>
    follow(deps, actor, { targetAddress: args.agent, following: args.following }, spend),
  answer: (state) => followState.format(state),
});
