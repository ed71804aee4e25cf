import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

export const root = fileURLToPath(new URL('../../', import.meta.url));

// The same settings as in contracts/foundry.toml; `npm run test:contracts` compares both bytecodes. Without metadata the
// bytecode depends only on the code, not on comments, paths or names.
const settings = {
  optimizer: { enabled: true, runs: 1000 },
  evmVersion: 'cancun',
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { TicketMarket: ['abi', 'evm.bytecode.object'] } },
};

type AbiEntry = { type: string; name?: string };

type Output = {
  errors?: { severity: string; formattedMessage: string; errorCode: string }[];
  contracts: Record<string, Record<string, { abi: AbiEntry[]; evm: { bytecode: { object: string } } }>>;
};

// Ignored warning of OpenZeppelin: transient storage can break composed calls, but the reentrancy guard clears it.
const transientStorageWarning = '2394';

const resolve = createRequire(import.meta.url).resolve;

function readSource(path: string): string {
  return readFileSync(path.startsWith('@') ? resolve(path) : `${root}contracts/${path}`, 'utf8');
}

/** Compiles contracts/TicketMarket.sol with the solc of the lockfile. A warning is an error. */
export function compileMarket(): { abi: AbiEntry[]; bytecode: string } {
  const name = 'TicketMarket.sol';
  const input = { language: 'Solidity', sources: { [name]: { content: readSource(name) } }, settings };
  const readImport = (path: string) => ({ contents: readSource(path) });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as Output;
  const problems = (output.errors ?? []).filter((error) => error.errorCode !== transientStorageWarning);
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'));
  const market = output.contracts[name]?.TicketMarket;
  if (!market) throw new Error(`${name} has no contract TicketMarket`);
  return { abi: market.abi, bytecode: `0x${market.evm.bytecode.object}` };
}
