import { distance } from 'fastest-levenshtein';
import type { Logger } from 'pino';
import { variables } from '../settings.js';

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

export function warnOfMistyped(env: NodeJS.ProcessEnv, log: Logger): void {
  for (const [variable, meant] of mistyped(env)) {
    log.warn({ variable, meant }, 'the environment has a variable that resembles a setting: is it mistyped?');
  }
}
