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
import { committedBuild } from './deployment/build.js';
import { onChain, runScript } from './deployment/chain.js';
import { createContract } from './deployment/send.js';
import { deploymentSettings } from './deployment/settings.js';
import { readCreation, requireBuild, verificationReport } from './deployment/verification.js';

await runScript(async () => {
  const { deployer, owner, protocolBps, agentBps, ...settings } = deploymentSettings();
  const args = { owner, protocolBps, agentBps };
  await onChain(settings, async (provider) => {
    const built = committedBuild();
    const { address, block } = await createContract(provider, deployer, { ...settings, args });
    const startBlock = block ?? (await readCreation(provider, address))?.block;
    process.stdout.write(
      `CONTRACT_ADDRESS=${address}\n${startBlock === undefined ? '' : `START_BLOCK=${startBlock}\n`}`,
    );
    if (startBlock === undefined) process.stderr.write('START_BLOCK is unknown: this RPC has no old state\n');
    await requireBuild(provider, address, built);
    process.stderr.write(verificationReport({ ...settings, address }, args));
  });
});
