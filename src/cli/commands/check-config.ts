import { readConfig } from '../../config/config.js';
import { printErrors } from '../fail.js';
import { answerAtOnce, type Program } from '../program.js';
import { type WarningLog, warnOfSettings } from '../warnings.js';

// npm run check-config: reads the settings as a start does. It opens no file and no connection, and asks no host.

const USAGE = `usage: npm run check-config
       prints which settings a start would refuse or warn about, and starts nothing
`;

export const checkConfigCommand: Program = async (args, env, streams) =>
  answerAtOnce(args, [], USAGE, streams) ??
  printErrors(streams.stderr, async () => {
    const log: WarningLog = {
      warn({ variable, meant }, message) {
        const names = meant === undefined ? '' : ` ${variable} may mean ${meant}.`;
        streams.stdout.write(`curvet: warning: ${message}${names}\n`);
      },
    };
    warnOfSettings(env, log);
    readConfig(env);
    streams.stdout.write('curvet: a start accepts these settings\n');
    return 0;
  });
