import { z } from 'zod';
import { type Deps, type DevTools, hasEmbeddedPosts } from '../../deps.js';
import { AppError } from '../../errors.js';
import { address, text } from '../../server/fields.js';
import { operation } from '../../server/operation.js';
import { etherBalance } from '../trading/wallet-resource.js';
import { devRpc } from './dev-rpc.js';

/** Tools of the embedded chain. Without the embedded chain, their endpoints answer 404. */
function toolsOf({ dev }: Deps): DevTools {
  if (!dev) throw new AppError('NOT_FOUND');
  return dev;
}

const faucet = operation({
  rest: 'POST /dev/faucet',
  tag: 'Development',
  summary: 'Send 1 ETH of the embedded chain to a wallet',
  description: 'Available only on the embedded chain, where ether has no value.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: address() }),
  output: z.object({ txHash: z.string(), address: etherBalance.fields.address.schema, amountEth: z.literal('1') }),
  errors: ['INVALID_ADDRESS', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' },
    response: { txHash: `0x${'5c'.repeat(32)}`, address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', amountEth: '1' },
  },
  async handle({ deps }, { address }) {
    return { txHash: await toolsOf(deps).faucet(address), address, amountEth: '1' as const };
  },
});

const handle = text()
  .regex(/^[A-Za-z0-9_]{1,15}$/)
  .meta({ expected: '1 to 15 letters, digits and underscores' });

const post = operation({
  rest: 'POST /dev/posts',
  tag: 'Development',
  summary: 'Publish a post on the embedded post host',
  description:
    'Available only on the embedded post host, that is without SOCIAL_TEXT_PROXY. POST /api/agents/verify finds the post under the returned URL.',
  auth: 'none',
  limit: 'global',
  input: z.object({ handle, text: text().min(1).max(1000) }),
  output: z.object({ url: z.string() }),
  errors: ['MISSING_FIELD', 'INVALID_FIELD', 'FIELD_TOO_LONG'],
  example: {
    request: { handle: 'scout', text: 'I am claiming my agent "Scout" on Curvet. Verification code: CURVET-7K2P' },
    response: { url: 'https://x.com/scout/status/1' },
  },
  async handle({ deps }, { handle, text }) {
    if (!hasEmbeddedPosts(deps)) throw new AppError('NOT_FOUND');
    return { url: await toolsOf(deps).publish(handle, text) };
  },
});

export const development = [faucet, post, devRpc];
