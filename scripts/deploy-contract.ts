// Deploys the market contract. All settings are environment variables; an invalid one stops the script with one line.
//   RPC_URL        URL of the chain's RPC (the first, if there are several); may contain user:password
//   DEPLOYER_KEY   private key that pays: 0x and 64 hex digits
//   CHAIN_ID       chain ID; the script refuses another chain. Default: 84532
//   OWNER          address that sets fees, pauses, and receives the protocol's fees. Default: the deployer
//   PROTOCOL_BPS   protocol fee in basis points. Default: 500
//   AGENT_BPS      agent fee in basis points; both fees together at most 1000. Default: 500
//   SALT           32 bytes, for a second contract with the same owner and fees. Default: zero
//   DEPLOY_TIMEOUT seconds to wait for the receipt. Default: 180
// The result goes to stdout, everything else to stderr. Before it sends the transaction, the script prints its hash and the
// contract address: after a failure one can check whether the contract exists before deploying another.
import { runProgram } from '../src/cli/program.js';
import { committedBuild } from './deployment/build.js';
import { deployWith } from './deployment/deploy.js';

await runProgram(deployWith(committedBuild));
