// Compares a deployed market contract with the build, and prints what its owner has set. Needs no key and sends nothing.
//   RPC_URL          URL of the chain's RPC (the first, if there are several); may contain user:password
//   CONTRACT_ADDRESS the contract
//   CHAIN_ID         chain ID; the script refuses another chain. Default: 84532
//   SALT             salt of the deployment. Default: zero
import { runProgram } from '../src/cli/program.js';
import { committedBuild } from './deployment/build.js';
import { verifyWith } from './deployment/verify.js';

await runProgram(verifyWith(committedBuild));
