import { distance } from 'fastest-levenshtein';
import { variables } from '../config/variables.js';

/** Environment variables that look like a mistyped name of a setting that is not set, with that name. */
export function mistyped(env: NodeJS.ProcessEnv): [given: string, meant: string][] {
  const unset = Object.keys(variables).filter((name) => !env[name]);
  const letters = (name: string) => [...name].sort().join('');
  const isNear = (given: string, name: string) => {
    // Two changes in a short name make another word: HOME and HOST. Two letters that changed places are one mistake.
    const most = name.length > 10 || letters(given) === letters(name) ? 2 : 1;
    return distance(given, name) <= most;
  };
  return Object.keys(env).flatMap((given): [string, string][] => {
    if (Object.hasOwn(variables, given)) return [];
    const meant = unset.find((name) => isNear(given.toUpperCase(), name));
    return meant === undefined ? [] : [[given, meant]];
  });
}

/** What writes a warning: the log of a start, or the output of check-config. `variable` is the one to look at. */
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
