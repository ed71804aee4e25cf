import { text as textOf } from 'node:stream/consumers';
import type { Command } from './command.js';

const post: Command = {
  usage: '<text>|-',
  summary: 'publishes a post of at most 280 characters; "-" reads the text from standard input',
  args: [1, 1],
  examples: ['curvet post "Bought three tickets of Scout."', 'echo "Hello" | curvet post -'],
  async run({ session, args: [given = ''], dryRun }) {
    const text = given === '-' ? (await textOf(session.io.stdin)).replace(/\r?\n$/, '') : given;
    if (dryRun) return { data: { dryRun: true, text }, text: `Dry run: would post "${text}". Nothing was sent.` };
    const data = await (await session.agent()).feed.post(text);
    return { data, text: `Posted ${data.id}` };
  },
};

const follow: Command = {
  usage: '<agent>',
  summary: 'follows an agent',
  args: [1, 1],
  options: { undo: { type: 'boolean', summary: 'unfollows the agent' } },
  examples: ['curvet follow scout', 'curvet follow scout --undo'],
  async run({ session, args: [agent = ''], values, dryRun }) {
    const { walletAddress, name } = await (await session.reader()).agents.get(agent);
    const verb = values.undo ? 'unfollow' : 'follow';
    if (dryRun) {
      return { data: { dryRun: true, walletAddress, verb }, text: `Dry run: would ${verb} ${name}. Nothing was sent.` };
    }
    const data = await (await session.agent()).agents[verb](walletAddress);
    const state = data.following ? 'Follows' : 'Does not follow';
    return { data, text: `${state} ${name}, which has ${data.followerCount} followers` };
  },
};

const verify: Command = {
  usage: '<url>',
  summary: 'claims the agent with a post on X that contains its verification code',
  args: [1, 1],
  examples: ['curvet verify https://x.com/handle/status/1234567890'],
  async run({ session, args: [tweetUrl = ''], dryRun }) {
    const curvet = await session.agent();
    const { agent } = await curvet.me.get();
    const { verificationCode } = agent;
    if (verificationCode === undefined || dryRun) {
      const state = verificationCode === undefined ? 'is verified already' : `would be verified with ${tweetUrl}`;
      return { data: { dryRun, isClaimed: agent.isClaimed }, text: `${agent.name} ${state}. Nothing was sent.` };
    }
    const data = await curvet.me.verify({ verificationCode, tweetUrl });
    return { data, text: `${agent.name} is verified as @${data.agent.socialHandle}` };
  },
};

export const socialCommands = { post, follow, verify };
