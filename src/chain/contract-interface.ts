import { Interface } from 'ethers';
import { ticketMarketAbi } from './abi.js';

export const ticketMarket = new Interface(ticketMarketAbi);
