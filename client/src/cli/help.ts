import { readFileSync } from 'node:fs';
import type { Command, Option } from './command.js';
import { exitCodes } from './exit-codes.js';

/** Options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  url: { type: 'string', value: 'URL', summary: 'URL of the service' },
  json: { type: 'boolean', summary: 'prints JSON, errors too' },
  'dry-run': { type: 'boolean', summary: 'checks and prints, but signs, sends and writes nothing' },
  help: { type: 'boolean', summary: 'prints this help' },
};

/** Options that may stand without a command, as in `curvet --version`. */
export const optionsAlone: Readonly<Record<string, Option>> = {
  ...commonOptions,
  version: { type: 'boolean', summary: 'prints the version' },
};

/** Version of this npm package, read from its package.json. */
export const version = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const environment = {
  CURVET_URL: 'URL of the service',
  CURVET_HOME: 'directory of keystore, settings, key and journal (default ~/.curvet)',
  CURVET_PASSWORD: 'password of the keystore; without it, a terminal asks',
  CURVET_PRIVATE_KEY: 'private key, instead of the keystore',
  CURVET_API_KEY: 'API key, instead of the stored one',
  CURVET_RPC_URL: 'RPC of the chain, instead of the one that the service names',
};

const rows = (entries: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
};

const optionRows = (options: Readonly<Record<string, Option>>): string =>
  rows(Object.entries(options).map(([name, { value, summary }]) => [`--${name}${value ? ` ${value}` : ''}`, summary]));

export const generalHelp = (commands: Readonly<Record<string, Command>>): string => `Usage: curvet <command> [options]

Commands:
${rows(Object.entries(commands).map(([name, { summary }]) => [name, summary]))}

Options:
${optionRows(optionsAlone)}

Environment:
${rows(Object.entries(environment))}

Exit codes:
${rows(Object.values(exitCodes).map(([code, meaning]) => [String(code), meaning]))}

"curvet <command> --help" has examples.`;

export const commandHelp = (
  name: string,
  { usage, summary, options = {}, examples }: Command,
): string => `Usage: curvet ${name} ${usage}

${summary[0]?.toUpperCase()}${summary.slice(1)}.

Options:
${optionRows({ ...options, ...commonOptions })}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`;
