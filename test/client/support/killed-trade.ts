// A process that buys one ticket and kills itself at a step. It prints the result before it closes the trade, as the command
// line does.
import { stepping } from './steps.js';

const { AGENT = '', TRADE_ID } = process.env;
const { curvet, exitCode } = stepping();
const ask = { agent: AGENT, amount: 1, thesis: 'Once', ...(TRADE_ID ? { id: TRADE_ID } : { hold: true }) };
const { id, hash } = await curvet.trade.buy(ask);
process.stdout.write(`bought ${hash}\n`);
if (!TRADE_ID) await curvet.trade.close(id);
process.exitCode = exitCode();
