import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Source file and name of the contract. Block explorers ask for both as one identifier: path, colon, name. */
const SOURCE = 'contracts/TicketMarket.sol';
const NAME = 'TicketMarket';
export const CONTRACT_IDENTIFIER = `${SOURCE}:${NAME}`;

/** Path of the file with everything that the bytecode depends on, except for the version of the compiler. */
export const STANDARD_INPUT = 'contracts/standard-input.json';

const OUTPUTS = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'];

// Settings of the compiler. They equal those in contracts/foundry.toml; `npm run test:contracts` compares the bytecodes
// of both. The settings and the paths of the sources are part of the metadata, whose hash is at the end of the
// bytecode.
const settings = {
  remappings: ['@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/'],
  optimizer: { enabled: true, runs: 1000 },
  evmVersion: 'cancun',
  metadata: { appendCBOR: true, bytecodeHash: 'ipfs' },
  outputSelection: { '*': { [NAME]: OUTPUTS } },
};

export type StandardInput = {
  readonly language: string;
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Omit<typeof settings, 'outputSelection'>;
};

type AbiEntry = { type: string; name?: string };
type DeployedBytecode = {
  readonly object: string;
  /** Positions in the bytecode of the values that the constructor fills in, by the id of the variable. */
  readonly immutableReferences: Readonly<Record<string, readonly { start: number; length: number }[]>>;
};

type Output = {
  errors?: { severity: string; formattedMessage: string; errorCode: string }[];
  contracts: Record<
    string,
    Record<string, { abi: AbiEntry[]; evm: { bytecode: { object: string }; deployedBytecode: DeployedBytecode } }>
  >;
};

export type Compiled = {
  readonly abi: AbiEntry[];
  /** Bytecode that creates the contract, without the arguments of its constructor. */
  readonly bytecode: string;
  readonly deployed: DeployedBytecode;
};

/** Version of the compiler, in the form in which block explorers list it. */
export const compilerVersion = (): string => `v${solc.version().replace(/\.Emscripten\.clang$/, '')}`;

// Code of a warning about OpenZeppelin that is ignored: transient storage can break composed calls, but the reentrancy guard clears
// it.
const transientStorageWarning = '2394';

/** Reads the source of the contract and of everything that it imports. */
export function standardInputOfSources(): StandardInput {
  const sources: Record<string, { content: string }> = {};
  const read = (path: string) => {
    sources[path] = { content: readFileSync(root + path, 'utf8') };
    return sources[path];
  };
  // Without outputs the compiler only reads and checks the sources, so that `read` learns what the contract imports.
  const start = {
    language: 'Solidity',
    sources: { [SOURCE]: read(SOURCE) },
    settings: { ...settings, outputSelection: {} },
  };
  solc.compile(JSON.stringify(start), { import: (path: string) => ({ contents: read(path).content }) });
  const sorted = Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1));
  return { language: 'Solidity', sources: Object.fromEntries(sorted), settings };
}

/** Compiles with the solc of the lockfile. It reads nothing but the input. A warning is an error, too. */
export function compile(input: StandardInput): Compiled {
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const problems = (output.errors ?? []).filter((error) => error.errorCode !== transientStorageWarning);
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'));
  const market = output.contracts[SOURCE]?.[NAME];
  if (!market) throw new Error(`${SOURCE} has no contract ${NAME}`);
  const { abi, evm } = market;
  return { abi, bytecode: `0x${evm.bytecode.object}`, deployed: evm.deployedBytecode };
}
