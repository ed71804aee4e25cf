import { readFile } from 'node:fs/promises';
import type { Wallet } from 'ethers';
import { Curvet, CurvetError } from '../curvet.js';
import { type Call, type Command, type Output, text } from './command.js';
import { UsageError } from './exit-codes.js';
import { DEFAULT_LIMITS, type Settings } from './home.js';
import { notConfigured } from './io.js';
import { decryptWallet, encryptWallet, loadEthers } from './keystore.js';
import { type Session, walletOf } from './session.js';
import { isEther } from './trading-commands.js';

const MIN_PASSWORD = 8;

const wallet: Command = {
  usage: 'new|import|show [file]',
  summary: 'creates or imports the encrypted wallet with its spending limits, or shows its address',
  args: [1, 2],
  options: {
    'per-trade': {
      type: 'string',
      value: 'ETH',
      summary: `maximum that one trade may send (default ${DEFAULT_LIMITS.perTrade})`,
    },
    'per-day': {
      type: 'string',
      value: 'ETH',
      summary: `maximum in 24 hours, gas included (default ${DEFAULT_LIMITS.perDay})`,
    },
    gas: {
      type: 'string',
      value: 'ETH',
      summary: `maximum gas fee of one transaction (default ${DEFAULT_LIMITS.gas})`,
    },
    contract: {
      type: 'string',
      value: 'ADDRESS',
      summary: 'the only contract (default: the one that the service names now)',
    },
    'chain-id': { type: 'string', value: 'N', summary: 'the only chain (default: the one that the service names now)' },
  },
  examples: [
    'curvet wallet new --url http://127.0.0.1:4000 --per-trade 0.02',
    'CURVET_PRIVATE_KEY=… curvet wallet import',
    'curvet wallet import keystore.json',
    'curvet wallet show',
  ],
  async run(call) {
    const [action, file] = call.args;
    if (action === 'show' && file === undefined) return show(call.session);
    if (action === 'new' && file === undefined) return create(call, async () => (await loadEthers()).Wallet.createRandom());
    if (action === 'import') return create(call, () => imported(call.session, file));
    throw new UsageError('wallet takes new, show, or import with a file or CURVET_PRIVATE_KEY');
  },
};

/** Address of the wallet. A keystore contains it in plain text, so no password is needed. */
async function addressOf({ home, io }: Session): Promise<string> {
  const fromEnvironment = io.env.CURVET_PRIVATE_KEY;
  if (fromEnvironment) return (await walletOf(fromEnvironment)).address.toLowerCase();
  const json = await home.keystore();
  if (json !== undefined) return `0x${JSON.parse(json).address}`.toLowerCase();
  throw notConfigured('there is no wallet', 'Create one with "curvet wallet new", or set CURVET_PRIVATE_KEY.');
}

async function show(session: Session): Promise<Output> {
  const { home, io } = session;
  const fromEnvironment = io.env.CURVET_PRIVATE_KEY;
  const data = {
    address: await addressOf(session),
    keystore: fromEnvironment ? null : home.keystorePath,
    settings: await home.settings(),
  };
  const { limits } = data.settings ?? {};
  const lines = [
    `address   ${data.address}`,
    `keystore  ${data.keystore ?? 'CURVET_PRIVATE_KEY'}`,
    ...(limits
      ? [
          `limits    ${limits.perTrade} ETH per trade, ${limits.perDay} ETH per day, ${limits.gas} ETH of gas`,
          `contract  ${limits.contract} on chain ${limits.chainId}`,
        ]
      : ['limits    none: the wallet cannot sign']),
  ];
  return { data, text: lines.join('\n') };
}

/**
 * Reads the private key from a keystore file, the environment or the terminal. An argument cannot contain it, because other
 * programs could see it there.
 */
async function imported(session: Session, file: string | undefined): Promise<Wallet> {
  const { env, secret } = session.io;
  if (file !== undefined) return decryptWallet(await readFile(file, 'utf8'), await session.password());
  const privateKey = env.CURVET_PRIVATE_KEY ?? (await secret?.('Private key: '));
  if (!privateKey) throw notConfigured('there is no private key', 'Set CURVET_PRIVATE_KEY, or name a keystore file.');
  return walletOf(privateKey);
}

/**
 * Encrypts the wallet that `make` returns into a new keystore, and writes its settings unless they exist. It never replaces a
 * keystore, because its key would be lost.
 */
async function create({ session, values, dryRun }: Call, make: () => Promise<{ readonly address: string }>): Promise<Output> {
  const { home } = session;
  if ((await home.keystore()) !== undefined) {
    throw notConfigured(`${home.keystorePath} exists`, 'Set CURVET_HOME to another directory, or move the file away.');
  }
  const password = await session.password('New password of the keystore: ');
  if (password.length < MIN_PASSWORD) {
    throw notConfigured(`the password is shorter than ${MIN_PASSWORD} characters`, 'Choose a longer one.');
  }
  const settings = (await home.settings()) ?? (await newSettings(session, values));
  const created = (await make()) as Wallet;
  const data = { address: created.address.toLowerCase(), keystore: home.keystorePath, settings };
  if (!dryRun) {
    await home.write(home.settingsPath, settings);
    await home.write(home.keystorePath, await encryptWallet(created, password));
  }
  const { limits } = settings;
  const lines = [
    `${dryRun ? 'Dry run: nothing was written. ' : ''}The wallet is ${data.address}.`,
    `The encrypted keystore is ${home.keystorePath}: keep a copy of it and its password.`,
    `It signs only for the contract ${limits.contract} on chain ${limits.chainId}, at most ${limits.perTrade} ETH per trade and ${limits.perDay} ETH per day.`,
    `These limits are in ${home.settingsPath}. Check the contract before you send ether to the wallet.`,
  ];
  return { data, text: lines.join('\n') };
}

/** Settings of a new wallet. They contain the address of the contract, so that no later answer of the service can replace it. */
async function newSettings(session: Session, values: Call['values']): Promise<Settings> {
  const amounts = { perTrade: 'per-trade', perDay: 'per-day', gas: 'gas' } as const;
  const chosen = Object.fromEntries(
    Object.entries(amounts).map(([name, option]) => {
      const amount = text(values[option]) ?? DEFAULT_LIMITS[name as keyof typeof amounts];
      if (!isEther(amount)) throw new UsageError(`--${option} is an amount of ETH, such as 0.01`);
      return [name, amount];
    }),
  ) as Record<keyof typeof amounts, string>;
  const url = await session.url();
  const [contract, chainId] = [text(values.contract), text(values['chain-id'])];
  const named = contract && chainId ? undefined : await new Curvet({ baseUrl: url, clock: session.io.clock }).market.contract();
  const limits = {
    chainId: Number(chainId ?? named?.chainId),
    contract: (contract ?? named?.contractAddress ?? '').toLowerCase(),
    ...chosen,
  };
  if (!Number.isInteger(limits.chainId) || !/^0x[0-9a-f]{40}$/.test(limits.contract)) {
    throw new UsageError('--contract is 0x and 40 hexadecimal digits, --chain-id a number');
  }
  return { url, limits };
}

const faucet: Command = {
  usage: '',
  summary: 'sends 1 ETH to the wallet, on the development chain of the service',
  args: [0, 0],
  examples: ['curvet faucet'],
  async run({ session, dryRun }) {
    const address = await addressOf(session);
    if (dryRun) return { data: { dryRun: true, address }, text: `Dry run: would fund ${address}. Nothing was sent.` };
    const curvet = await session.reader();
    const data = await curvet.request('POST /dev/faucet', { body: { address } }).catch((error: CurvetError) => {
      if (error.code !== 'NOT_FOUND') throw error;
      const hint = `Only an embedded chain has one. Send ether to ${address}.`;
      throw new CurvetError('NOT_FOUND', 'the service has no faucet', { status: error.status, hint, cause: error });
    });
    return { data, text: `Sent ${data.amountEth} ETH to ${address}` };
  },
};

const withdraw: Command = {
  usage: '',
  summary: 'withdraws the fees of the agent from the contract: at least 0.001 ETH, once in 24 hours',
  args: [0, 0],
  examples: ['curvet withdraw', 'curvet withdraw --dry-run'],
  async run({ session, dryRun }) {
    const curvet = await session.trader();
    // `hold` leaves the withdrawal open until `after` has run. If the process dies before the result is printed, the next run
    // prints it.
    const data = await curvet.withdraw({ dryRun, hold: true });
    const text = dryRun
      ? `Dry run: ${data.amountEth} ETH would be withdrawn. Nothing was signed.`
      : `Withdrew ${data.amountEth} ETH\n${data.hash}`;
    return { data: { dryRun, ...data }, text };
  },
  async after({ session, dryRun }, { data }) {
    if (!dryRun) await (await session.trader()).trade.close((data as { id: string }).id);
  },
};

export const walletCommands = { wallet, faucet, withdraw };
