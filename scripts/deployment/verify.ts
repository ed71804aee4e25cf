import type { Program } from '../../src/cli/program.js';
import type { Compiled } from '../compile.js';
import { onChain, runScript } from './chain.js';
import { chainSettings, contractSetting, saltSetting } from './settings.js';
import { stateReport } from './state.js';
import { readCreation, requireBuild, verificationReport } from './verification.js';

/** The program of `npm run verify:contract`. `build` compiles the committed contract. */
export const verifyWith =
  (build: () => Compiled): Program =>
  (_args, env, streams) =>
    runScript(streams, async () => {
      const settings = { ...chainSettings(env), address: contractSetting(env), salt: saltSetting(env) };
      await onChain(settings, async (provider) => {
        await requireBuild(provider, settings.address, build());
        const creation = await readCreation(provider, settings.address);
        streams.stdout.write(verificationReport(settings, creation?.args));
        streams.stdout.write(await stateReport(provider, settings.address));
      });
    });
