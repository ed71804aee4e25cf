import { parseArgs } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { CurvetError, isPrivateKey, withoutKeys } from '../errors.js';
import type { Command, Option, Output, Values } from './command.js';
import { completion } from './completion.js';
import { doctor } from './doctor.js';
import { type Exit, exitCodes, exitOf, UsageError } from './exit-codes.js';
import { commandHelp, commonOptions, generalHelp, optionsAlone, version } from './help.js';
import { type Environment, guarded, type Io, notConfigured, Secrets } from './io.js';
import { listCommands } from './lists/list-commands.js';
import { pnl } from './lists/pnl.js';
import { record } from './lists/record.js';
import { yieldFiles } from './lists/yield.js';
import { mcp } from './mcp/command.js';
import { readingCommands } from './reading-commands.js';
import { Session } from './session.js';
import { socialCommands } from './social-commands.js';
import { tradingCommands } from './trading-commands.js';
import { walletCommands } from './wallet-commands.js';

export const commands: Readonly<Record<string, Command>> = {
  ...walletCommands,
  ...tradingCommands,
  ...socialCommands,
  ...readingCommands,
  pnl,
  ...listCommands,
  record,
  yield: yieldFiles,
  doctor,
  mcp,
  completion: completion(() => commands),
};

/** Runs one command. Returns the exit code. */
export async function run(argv: readonly string[], given: Io): Promise<number> {
  // Read before the arguments are parsed, because an error of the parser is printed as JSON, too.
  const json = argv.includes('--json');
  const secrets = new Secrets();
  // 64 hexadecimal digits may be a private key or, as in a post, a transaction hash. Nothing tells them apart, so no output repeats
  // either, as typed or in lower case.
  for (const [key] of argv.join(' ').matchAll(/[0-9a-f]{64,}/gi)) for (const form of [key, key.toLowerCase()]) secrets.keep(form);
  const io = guarded(given, secrets);
  let exit: Exit;
  try {
    exit = await dispatch(argv, { io, secrets, json });
  } catch (error) {
    exit = exitOf(error);
    // EPIPE: the program that reads the output has closed it, as `head` does. That is not worth a message.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE')
      io.note(json ? JSON.stringify({ error: described(error, exit) }) : explained(error));
  }
  return exitCodes[exit][0];
}

type Terms = { readonly io: Io; readonly secrets: Secrets; readonly json: boolean };

async function dispatch(argv: readonly string[], { io, secrets, json }: Terms): Promise<Exit> {
  refuseKeys(argv, io.env);
  if (argv[0] === '--version') return print(io, version());
  const [name, rest] = splitAtCommand(argv);
  if (name === undefined) {
    const { values } = parsed({}, rest);
    return print(io, values.version ? version() : generalHelp(commands));
  }
  if (name === 'help') return print(io, helpOn(rest.find((one) => Object.hasOwn(commands, one))));
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`there is no command ${name}. ${adviceOn(name)}`);
  const { values, positionals: args } = parsed(command, rest, name);
  if (values.help) return print(io, commandHelp(name, command));
  const [min, max] = command.args;
  if (args.length < min || args.length > max) throw new UsageError(`usage: curvet ${name} ${command.usage}`);
  const session = new Session(io, { url: typeof values.url === 'string' ? values.url : undefined, secrets });
  const call = { session, args, values, json, dryRun: values['dry-run'] === true };
  const show = ({ data, text }: Output) => io.print(json ? JSON.stringify(data) : text);
  const running = command.run(call);
  if (Symbol.asyncIterator in running) {
    for await (const output of running) await show(output);
    return 'ok';
  }
  const output = await running;
  if (output === undefined) return 'ok';
  await show(output);
  await command.after?.(call, output);
  return output.exit ?? 'ok';
}

const IS_KEY = 'has the form of a private key, which must not stand there';
const KEY_ADVICE = 'Set CURVET_PRIVATE_KEY, or run "curvet wallet import" in a terminal: it asks for the key.';

/**
 * Refuses a private key in an argument or in one of these variables, where other programs, the service or a message would show it.
 */
function refuseKeys(argv: readonly string[], env: Environment): void {
  if (argv.some((argument) => isPrivateKey(withoutOption(argument)))) throw new UsageError(`an argument ${IS_KEY}. ${KEY_ADVICE}`);
  for (const name of ['CURVET_HOME', 'CURVET_URL', 'CURVET_RPC_URL', 'CURVET_API_KEY'])
    if (isPrivateKey(env[name] ?? '')) throw notConfigured(`${name} ${IS_KEY}`, KEY_ADVICE);
}

/**
 * Removes the name of an option from an argument such as `--id=value`, so that only the value is left. Other texts do not change.
 */
const withoutOption = (argument: string): string => argument.replace(/^-+(?:[\w-]*=)?/, '');

async function print(io: Io, text: string): Promise<Exit> {
  await io.print(text);
  return 'ok';
}

/** Finds the command, which may stand after common options. Returns it and all other arguments. */
function splitAtCommand(argv: readonly string[]): [name: string | undefined, rest: readonly string[]] {
  const { tokens } = parseArgs({ args: [...argv], options: typesOf(commonOptions), strict: false, tokens: true });
  const at = tokens.find(({ kind }) => kind === 'positional')?.index;
  return at === undefined ? [undefined, argv] : [argv[at], argv.toSpliced(at, 1)];
}

function adviceOn(name: string): string {
  const given = name.toLowerCase();
  const meant = closest(given, Object.keys(commands));
  return distance(given, meant) <= (name.length > 3 ? 2 : 1) ? `Did you mean ${meant}?` : '"curvet help" lists the commands';
}

function helpOn(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command ? commandHelp(String(name), command) : generalHelp(commands);
}

const typesOf = (options: Readonly<Record<string, Option>>) =>
  Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));

/**
 * Parses the arguments of a command, or those without a command if `name` is undefined. It checks the options itself, not with
 * `strict` of parseArgs, so that an error can name the option that was meant.
 */
function parsed(
  { options = {} }: Pick<Command, 'options'>,
  args: readonly string[],
  name?: string,
): { values: Values; positionals: string[] } {
  const known: Readonly<Record<string, Option>> = {
    ...options,
    ...(name === undefined ? optionsAlone : commonOptions),
  };
  const config = { args: [...args], options: typesOf(known), allowPositionals: true, strict: false } as const;
  const { values, positionals, tokens } = parseArgs({ ...config, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) throw new UsageError(`there is no option ${token.rawName}. ${optionAdvice(token.name, known, name)}`);
    if (option.type === 'boolean' && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
    // In `--name --other`, the next option is not the value of `--name`. In `--name=-value`, the value may begin with a hyphen.
    const isMissing = token.value === undefined || (!token.inlineValue && /^-./.test(token.value));
    if (option.type === 'string' && isMissing)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName}=${option.value ?? 'VALUE'}`);
  }
  return { values: values as Values, positionals };
}

function optionAdvice(given: string, known: Readonly<Record<string, Option>>, name: string | undefined): string {
  const meant = closest(given.toLowerCase(), Object.keys(known));
  if (given.length > 1 && distance(given.toLowerCase(), meant) <= 2) return `Did you mean --${meant}?`;
  const longer = Object.keys(known).find((option) => option.split('-').includes(given.toLowerCase()));
  if (longer) return `Did you mean --${longer}?`;
  return `"curvet ${name === undefined ? 'help' : `${name} --help`}" lists the options`;
}

/** An error as `--json` prints it. */
function described(error: unknown, exit: Exit): object {
  const message = withoutKeys((error as Error).message);
  if (!(error instanceof CurvetError)) return { code: exit === 'usage' ? 'USAGE' : 'UNEXPECTED', message };
  const { code, hint, status, retryAfter, requestId, details } = error;
  return { code, message, hint, status, retryAfter, requestId, details };
}

/** An error as people read it, in lines. */
function explained(error: unknown): string {
  const { message, hint, requestId, details } = error as CurvetError;
  const about = [requestId ? `Request ${requestId}` : '', details?.hash ? `Transaction ${details.hash}` : ''];
  const lines = [`curvet: ${withoutKeys(message)}`, hint, ...about];
  return lines.filter(Boolean).join('\n');
}
