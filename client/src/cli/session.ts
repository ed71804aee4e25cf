import type { Wallet } from 'ethers';
import { Curvet, type CurvetOptions } from '../curvet.js';
import { isSameService } from '../http/service-url.js';
import { fileJournal } from '../signing/file-journal.js';
import type { SpendingLimits } from '../signing/limits.js';
import { DEFAULT_URL, Home, type Settings } from './home.js';
import { type Io, notConfigured, Secrets } from './io.js';
import { decryptWallet, loadEthers, unseal } from './keystore.js';

export type TraderOptions = Pick<CurvetOptions, 'confirmMs' | 'deadlineSeconds' | 'maxWaitMs'> & {
  /** How long to wait for another process that trades, in milliseconds. */
  readonly busyMs?: number | undefined;
};

/** The files, the wallet and the clients that a command works with. A secret is read only when a command needs it. */
export class Session {
  readonly home: Home;
  readonly secrets: Secrets;
  #settings: Promise<Settings | undefined> | undefined;
  #password: Promise<string> | undefined;
  #wallet: Promise<Wallet> | undefined;
  #trader: Promise<Curvet> | undefined;

  constructor(
    readonly io: Io,
    private readonly given: { readonly url?: string | undefined; readonly secrets?: Secrets } = {},
  ) {
    this.home = new Home(io.env);
    this.secrets = given.secrets ?? new Secrets();
    const { CURVET_PASSWORD, CURVET_PRIVATE_KEY, CURVET_API_KEY } = io.env;
    for (const secret of [CURVET_PASSWORD, CURVET_PRIVATE_KEY, CURVET_API_KEY]) this.secrets.keep(secret);
  }

  /** The settings, cached as they were at the first read, so that no later change of the file loosens a limit. */
  settings(): Promise<Settings | undefined> {
    this.#settings ??= this.home.settings();
    return this.#settings;
  }

  async url(): Promise<string> {
    const url = this.given.url ?? this.io.env.CURVET_URL ?? (await this.settings())?.url ?? DEFAULT_URL;
    if (!URL.canParse(url))
      throw notConfigured(`"${url}" is not a URL`, 'Give the URL of the service, such as http://127.0.0.1:4000.');
    return url.replace(/\/+$/, '');
  }

  /** The password of the keystore, from CURVET_PASSWORD or the terminal. */
  password(question = 'Password of the keystore: '): Promise<string> {
    const { env, secret } = this.io;
    const given = env.CURVET_PASSWORD ? Promise.resolve(env.CURVET_PASSWORD) : secret?.(question);
    this.#password ??= (given ?? Promise.reject(noPassword())).then((password) => this.secrets.keep(password));
    return this.#password;
  }

  /** The wallet. Decrypting it takes long, so it is cached. */
  wallet(): Promise<Wallet> {
    this.#wallet ??= this.#readWallet().then(
      (wallet) => {
        this.secrets.keep(wallet.privateKey);
        return wallet;
      },
      (error: unknown) => {
        this.#wallet = undefined;
        throw error;
      },
    );
    return this.#wallet;
  }

  async #readWallet(): Promise<Wallet> {
    const { CURVET_PRIVATE_KEY } = this.io.env;
    if (CURVET_PRIVATE_KEY) return walletOf(CURVET_PRIVATE_KEY);
    const json = await this.home.keystore();
    if (json === undefined) {
      throw notConfigured('there is no wallet', 'Create one with "curvet wallet new", or set CURVET_PRIVATE_KEY.');
    }
    return decryptWallet(json, await this.password());
  }

  /** The API key: CURVET_API_KEY, or the stored key of this service. undefined if there is neither. */
  async apiKey(): Promise<string | undefined> {
    const { CURVET_API_KEY } = this.io.env;
    if (CURVET_API_KEY) return CURVET_API_KEY;
    const agent = await this.home.agent();
    if (agent === undefined) return undefined;
    const url = await this.url();
    if (!isSameService(agent.url, url)) {
      throw notConfigured(`the stored key belongs to ${agent.url}, not to ${url}`, 'Set CURVET_API_KEY, or another CURVET_HOME.');
    }
    return this.secrets.keep(await unseal(agent.apiKey, await this.password()));
  }

  #service = async () => ({ baseUrl: await this.url(), clock: this.io.clock });

  /** A client for public data. It sends a key only if the environment has one. */
  reader = async (): Promise<Curvet> => new Curvet({ ...(await this.#service()), apiKey: this.io.env.CURVET_API_KEY });

  /** A client with the agent's key. */
  async agent(): Promise<Curvet> {
    const apiKey = await this.apiKey();
    if (apiKey === undefined) throw notConfigured('there is no API key', 'Run "curvet register", or set CURVET_API_KEY.');
    return new Curvet({ ...(await this.#service()), apiKey });
  }

  async limits(): Promise<SpendingLimits> {
    const settings = await this.settings();
    if (settings) return settings.limits;
    throw notConfigured(
      'there are no spending limits',
      `Run "curvet wallet new" or "curvet wallet import", which write ${this.home.settingsPath}.`,
    );
  }

  /** A client that signs within the limits of the settings. It is cached, so only the options of the first call count. */
  trader(options: TraderOptions = {}): Promise<Curvet> {
    this.#trader ??= this.#createTrader(options).catch((error: unknown) => {
      this.#trader = undefined;
      throw error;
    });
    return this.#trader;
  }

  async #createTrader({ busyMs, ...waits }: TraderOptions): Promise<Curvet> {
    const limits = await this.limits();
    const [signer, apiKey] = [await this.wallet(), await this.apiKey()];
    const { CURVET_RPC_URL: rpcUrl } = this.io.env;
    const journal = fileJournal(this.home.journalPath, { busyMs });
    return new Curvet({ ...(await this.#service()), apiKey, signer, journal, rpcUrl, limits, ...waits });
  }
}

const noPassword = () => notConfigured('there is no password', 'Set CURVET_PASSWORD, or run the command in a terminal.');

export async function walletOf(privateKey: string): Promise<Wallet> {
  const { Wallet } = await loadEthers();
  try {
    return new Wallet(privateKey);
  } catch {
    // The error of ethers is not passed on, because its text may contain the key.
    throw notConfigured('the private key is not valid', 'Set CURVET_PRIVATE_KEY to 0x and 64 hexadecimal digits.');
  }
}
