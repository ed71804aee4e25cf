import { distance } from 'fastest-levenshtein';
import { variables } from '../config/variables.js';

/** Finds environment variables whose names resemble a setting that is not set. Returns each with the name of that setting. */
export function mistyped(env: NodeJS.ProcessEnv): [given: string, meant: string][] {
  const unset = Object.keys(variables).filter((name) => !env[name]);
  const letters = (name: string) => [...name].sort().join('');
  const isNear = (given: string, name: string) => {
    // A short name may differ by one change only: two changes can make another word, such as HOME and HOST. Two swapped letters
    // count as two changes, but are one mistake, so they are accepted.
    const most = name.length > 10 || letters(given) === letters(name) ? 2 : 1;
    return distance(given, name) <= most;
  };
  return Object.keys(env).flatMap((given): [string, string][] => {
    if (Object.hasOwn(variables, given)) return [];
    const meant = unset.find((name) => isNear(given.toUpperCase(), name));
    return meant === undefined ? [] : [[given, meant]];
  });
}

/** Receiver of warnings: the log of a start, or the output of check-config. `variable` is the environment variable in question. */
export type WarningLog = {
  warn(fields: { readonly variable: string; readonly meant?: string }, message: string): void;
};

/** Warns of settings with which the service starts, although they are risky or probably a mistake. */
export function warnOfSettings(env: NodeJS.ProcessEnv, log: WarningLog): void {
  for (const [variable, meant] of mistyped(env)) {
    log.warn({ variable, meant }, 'the environment has a variable that resembles a setting: is it mistyped?');
  }
  // On a public chain, anyone can create a profile for a registered wallet before its owner does.
  if (env.RPC_URL && env.REGISTRATION_SIGNATURE !== 'required') {
    log.warn(
      { variable: 'REGISTRATION_SIGNATURE' },
      'REGISTRATION_SIGNATURE is optional: strangers can register wallets that are not theirs; "required" is recommended',
    );
  }
  if (env.NODE_ENV === 'production' && !env.PUBLIC_URL) {
    log.warn(
      { variable: 'PUBLIC_URL' },
      'PUBLIC_URL is not set in production: claim URLs, guides and signatures name the address of this process',
    );
  }
}
