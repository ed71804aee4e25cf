// Writes what the service needs of the contract: its ABI and its bytecode. With --check it writes nothing and fails
// when the committed files are not what the contract compiles to.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { compileMarket, root } from './compile.js';

const header = '// Generated from contracts/TicketMarket.sol by `npm run contracts`. Do not edit.\n';

const { abi, bytecode } = compileMarket();
const files = {
  'src/chain/abi.ts': `${header}export const ticketMarketAbi = [\n${abi.map((entry) => `  ${JSON.stringify(entry)},\n`).join('')}] as const;\n`,
  'src/chain/bytecode.ts': `${header}export const ticketMarketBytecode =\n  '${bytecode}';\n`,
};

const stale: string[] = [];
for (const [path, content] of Object.entries(files)) {
  const full = root + path;
  if (existsSync(full) && readFileSync(full, 'utf8') === content) continue;
  stale.push(path);
  if (!process.argv.includes('--check')) writeFileSync(full, content);
}

if (!process.argv.includes('--check')) {
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Nothing changed.');
} else if (stale.length > 0) {
  console.error(`Not current: ${stale.join(', ')}. Run \`npm run contracts\` and commit the result.`);
  process.exitCode = 1;
} else {
  console.log('ABI and bytecode are current.');
}
