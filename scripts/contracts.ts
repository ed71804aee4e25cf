// Generates files from the contract: ABI and bytecode for the service, and the gas of its transactions. With --check it
// writes nothing and fails if a committed file differs.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevChain } from '../src/chain/embedded-chain.js';
import { RpcProvider } from '../src/chain/rpc.js';
import { TIMES } from '../src/config/timeouts.js';
import { compile, root, STANDARD_INPUT, standardInputOfSources } from './compile.js';
import { type Gas, measureGas } from './gas.js';

const CHAIN_ID = 84532;

const input = standardInputOfSources();
const { abi, bytecode } = compile(input);
const header = '// Generated from contracts/TicketMarket.sol by `npm run contracts`. Do not edit.\n';
const entries = abi.map((entry) => `  ${JSON.stringify(entry)},\n`).join('');
const gas = await gasOnAFreshChain();
const files = {
  'src/chain/abi.ts': `${header}export const ticketMarketAbi = [\n${entries}] as const;\n`,
  'src/chain/bytecode.ts': `${header}export const ticketMarketBytecode =\n  '${bytecode}';\n`,
  'src/chain/gas.ts': `${header}${gasSource(gas)}`,
  [STANDARD_INPUT]: `${JSON.stringify(input, null, 2)}\n`,
  'contracts/gas.json': `${JSON.stringify(gas, null, 2)}\n`,
};

const check = process.argv.includes('--check');
const stale = Object.entries(files).filter(
  ([path, content]) => !existsSync(root + path) || readFileSync(root + path, 'utf8') !== content,
);
const names = stale.map(([path]) => path).join(', ');
if (stale.length === 0) {
  process.stdout.write(`Current: ${Object.keys(files).join(', ')}\n`);
} else if (check) {
  process.stderr.write(`Not current: ${names}. Run \`npm run contracts\` and commit the result.\n`);
  process.exitCode = 1;
} else {
  for (const [path, content] of stale) writeFileSync(root + path, content);
  process.stdout.write(`Written: ${names}\n`);
}

/** Source of src/chain/gas.ts: the highest gas of each call that agents make. */
function gasSource(gas: Gas): string {
  const dearest = (what: string) =>
    Math.max(...Object.entries(gas).flatMap(([name, used]) => (name.startsWith(what) ? [used] : [])));
  const calls = {
    registerAgent: 'registration',
    registerAgentWithTickets: 'register and buy',
    buyTickets: 'buy',
    sellTickets: 'sell',
  };
  const lines = Object.entries(calls).map(([call, what]) => `  ${call}: ${dearest(what)},\n`);
  return `/** Maximum gas of each kind of transaction in contracts/gas.json. */\nexport const gasUsed = {\n${lines.join('')}} as const;\n`;
}

async function gasOnAFreshChain(): Promise<Gas> {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-gas-'));
  try {
    const chain = await startDevChain({ directory, chainId: CHAIN_ID, times: TIMES });
    const provider = new RpcProvider([chain.rpcUrl], CHAIN_ID, TIMES);
    try {
      return await measureGas(provider, abi, bytecode);
    } finally {
      provider.destroy();
      await chain.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
