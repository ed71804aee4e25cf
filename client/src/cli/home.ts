import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { toWei } from '../signing/ether.js';
import { replaceFile } from '../signing/file-journal.js';
import type { SpendingLimits } from '../signing/limits.js';
import { type Io, notConfigured } from './io.js';
import type { Sealed } from './keystore.js';

/** The settings of a wallet. No answer of the service changes them: only `wallet new`, `wallet import` and the user do. */
export type Settings = { readonly url: string; readonly limits: SpendingLimits };
/** The agent of the wallet, with its encrypted API key. */
export type StoredAgent = {
  readonly url: string;
  readonly address: string;
  readonly agentId: string;
  readonly apiKey: Sealed;
};

export const DEFAULT_URL = 'http://127.0.0.1:4000';
export const DEFAULT_LIMITS = { perTrade: '0.01', perDay: '0.05', gas: '0.002' };

/** Reads and writes the files of the command line. Only their user can read them (mode 0600). */
export class Home {
  readonly directory: string;
  readonly keystorePath: string;
  readonly settingsPath: string;
  readonly agentPath: string;
  readonly journalPath: string;

  constructor({ CURVET_HOME }: Io['env']) {
    this.directory = CURVET_HOME || join(homedir(), '.curvet');
    this.keystorePath = join(this.directory, 'keystore.json');
    this.settingsPath = join(this.directory, 'config.json');
    this.agentPath = join(this.directory, 'agent.json');
    this.journalPath = join(this.directory, 'journal.json');
  }

  keystore = (): Promise<string | undefined> => readText(this.keystorePath);
  settings = async (): Promise<Settings | undefined> => checkedSettings(await readText(this.settingsPath), this.settingsPath);
  agent = async (): Promise<StoredAgent | undefined> => {
    const text = await readText(this.agentPath);
    return text === undefined ? undefined : (JSON.parse(text) as StoredAgent);
  };
  write = (path: string, value: object | string): Promise<void> =>
    replaceFile(path, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws unless the settings are valid. People edit the file by hand, and a mistake must not loosen a limit. */
function checkedSettings(text: string | undefined, path: string): Settings | undefined {
  if (text === undefined) return undefined;
  try {
    const { url, limits } = JSON.parse(text) as Settings;
    for (const amount of [limits.perTrade, limits.perDay, limits.gas]) toWei(amount);
    const isValid = URL.canParse(url) && Number.isInteger(limits.chainId) && /^0x[0-9a-f]{40}$/i.test(limits.contract);
    if (!isValid) throw new Error('url, limits.chainId or limits.contract is not valid');
    return { url, limits };
  } catch (error) {
    throw notConfigured(`${path} is not valid: ${(error as Error).message}`, 'Correct the file.');
  }
}
