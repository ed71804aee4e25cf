import { readFileSync } from 'node:fs';
import { concat, getCreate2Address, keccak256 } from 'ethers';
import { ticketMarketBytecode } from '../../src/chain/bytecode.js';
import { ticketMarket } from '../../src/chain/contract-interface.js';
import { type Compiled, compile, root, STANDARD_INPUT } from '../compile.js';
import { Refusal } from './settings.js';

/**
 * The usual deterministic deployer (Arachnid's). It has the same address on every chain where somebody has sent its
 * signed transaction. It creates a contract from calldata: 32 bytes of salt, then the bytecode with the arguments.
 */
export const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
export const DETERMINISTIC_DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Arguments of the constructor. The owner is one of them, because the creator may be the deterministic deployer. */
export type Arguments = { readonly owner: string; readonly protocolBps: number; readonly agentBps: number };

export const encodeArguments = ({ owner, protocolBps, agentBps }: Arguments): string =>
  ticketMarket.encodeDeploy([owner, protocolBps, agentBps]);

/** Bytecode that creates the contract with its arguments. */
export const creationCode = (args: Arguments): string => concat([ticketMarketBytecode, encodeArguments(args)]);

/** Address of the contract if the deterministic deployer creates it. It depends on code, arguments and salt alone. */
export const deterministicAddress = (args: Arguments, salt: string): string =>
  getCreate2Address(DETERMINISTIC_DEPLOYER, salt, keccak256(creationCode(args))).toLowerCase();

/** Compiles the committed standard input. Refuses it if the result is not the committed bytecode. */
export function committedBuild(): Compiled {
  const built = compile(JSON.parse(readFileSync(root + STANDARD_INPUT, 'utf8')));
  if (built.bytecode !== ticketMarketBytecode) {
    throw new Refusal(`${STANDARD_INPUT} compiles to another bytecode than the committed one: run npm run contracts`);
  }
  return built;
}

/** Whether `code` is the build's, apart from values that the constructor fills in. Both are hexadecimal without 0x. */
export function equalsBuild(code: string, { object, immutableReferences }: Compiled['deployed']): boolean {
  const masked = (hex: string): string => {
    let rest = hex.toLowerCase();
    for (const { start, length } of Object.values(immutableReferences).flat()) {
      rest = rest.slice(0, start * 2) + '0'.repeat(length * 2) + rest.slice((start + length) * 2);
    }
    return rest;
  };
  return code.length === object.length && masked(code) === masked(object);
}
