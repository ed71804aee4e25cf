import { shortHex } from '../../format/number.js';
import type { Standing } from './queries.js';

/** The name of the agent. An agent that was deleted since has no name, so its shortened address is shown. */
export const nameOf = ({ agent, walletAddress }: Standing): string => agent?.name ?? shortHex(walletAddress);
