// Compares a deployed market contract with the build, and prints what its owner has set. Needs no key and sends nothing.
//   RPC_URL          URL of the chain's RPC (the first, if there are several); may contain user:password
//   CONTRACT_ADDRESS the contract
//   CHAIN_ID         chain ID; the script refuses another chain. Default: 84532
//   SALT             salt of the deployment. Default: zero
import { committedBuild } from './deployment/build.js';
import { onChain, runScript } from './deployment/chain.js';
import { chainSettings, contractSetting, saltSetting } from './deployment/settings.js';
import { stateReport } from './deployment/state.js';
import { readCreation, requireBuild, verificationReport } from './deployment/verification.js';

await runScript(async () => {
  const settings = { ...chainSettings(), address: contractSetting(), salt: saltSetting() };
  await onChain(settings, async (provider) => {
    await requireBuild(provider, settings.address, committedBuild());
    const creation = await readCreation(provider, settings.address);
    process.stdout.write(verificationReport(settings, creation?.args));
    process.stdout.write(await stateReport(provider, settings.address));
  });
});
