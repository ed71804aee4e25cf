import { shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import type { Standing } from './queries.js';

export type Category = keyof typeof texts.points;
export const categories = Object.keys(texts.points) as readonly Category[];

/** Name of the agent. Agents that were deleted since have only their address. */
export const nameOf = ({ agent, walletAddress }: Standing): string => agent?.name ?? shortHex(walletAddress);
