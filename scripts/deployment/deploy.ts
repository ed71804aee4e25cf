import type { Program } from '../../src/cli/program.js';
import type { Compiled } from '../compile.js';
import { onChain, runScript } from './chain.js';
import { createContract } from './send.js';
import { deploymentSettings } from './settings.js';
import { readCreation, requireBuild, verificationReport } from './verification.js';

/** The program of `npm run deploy:contract`. `build` compiles the committed contract. */
export const deployWith =
  (build: () => Compiled): Program =>
  (_args, env, streams) =>
    runScript(streams, async () => {
      const { stdout, stderr } = streams;
      const { deployer, owner, protocolBps, agentBps, ...settings } = deploymentSettings(env);
      const args = { owner, protocolBps, agentBps };
      await onChain(settings, async (provider) => {
        const built = build();
        const { address, block } = await createContract(provider, deployer, { ...settings, args }, stderr);
        const startBlock = block ?? (await readCreation(provider, address))?.block;
        stdout.write(`CONTRACT_ADDRESS=${address}\n${startBlock === undefined ? '' : `START_BLOCK=${startBlock}\n`}`);
        if (startBlock === undefined) stderr.write('START_BLOCK is unknown: this RPC has no old state\n');
        await requireBuild(provider, address, built);
        stderr.write(verificationReport({ ...settings, address }, args));
      });
    });
