import { shortHex } from '../../format/number.js';
import type { Standing } from './queries.js';

/** Name of the agent. Agents that were deleted since have only their address. */
export const nameOf = ({ agent, walletAddress }: Standing): string => agent?.name ?? shortHex(walletAddress);
