import { ConflictError, type CurvetError, TradeError } from './errors.js';
import { checkUrl } from './http/service-url.js';
import type { Answer, Input, Transport } from './http/transport.js';
import { encodeCurvePrice, encodeRegistration, FEE_SPLIT } from './signing/calldata.js';
import { type Entry, type JournalFile, store } from './signing/journal.js';
import type { Rpc } from './signing/rpc.js';
import { signText } from './signing/signer.js';
import type { Call, Wallet } from './signing/wallet.js';

export type RegistrationRequest = Pick<
  NonNullable<Input<'POST /api/agents'>['body']>,
  'name' | 'description' | 'avatarUrl' | 'referredBy'
> & {
  /**
   * Number of its own tickets that the agent buys in the transaction that registers it, before anybody else can buy, from 0 to 20.
   * The agent gets one more ticket free. @default 0
   */
  readonly firstTickets?: number;
  /**
   * Leaves the registration open until `trade.close(id)`, or for 24 hours. As long as it is open, a call with the same name and
   * `firstTickets` returns the API key again. @default false
   */
  readonly hold?: boolean;
};
/** The answer of the service, with the API key. `id` names the journal entry, for `trade.close(id)`. */
export type Registration = Answer<'POST /api/agents'> & { readonly id: string };

/**
 * Registers the wallet on the chain and with the service. No later answer contains the API key. After a crash, a second call
 * continues the first: the service repeats its answer to the same request for 24 hours.
 */
export async function register(
  t: Transport,
  wallet: Wallet,
  { hold = false, firstTickets = 0, ...profile }: RegistrationRequest,
): Promise<Registration> {
  const job = {
    kind: 'register',
    terms: JSON.stringify({ name: profile.name, firstTickets }),
    build: (rpc: Rpc) => registrationCall(t, wallet, rpc, { name: profile.name, tickets: firstTickets }),
  } as const;
  return wallet.journal.exclusive(async (file) => {
    const entry = await wallet.run(file, job);
    const { answer, request } = await submit(t, wallet, file, entry, profile);
    // With `hold`, the request stays in the journal entry, so that a later run repeats it and gets the same API key.
    const done = { ...entry, state: 'recorded', open: hold, request: hold ? request : undefined } as const;
    await store(file, done, t.clock.now());
    t.apiKey = answer.apiKey;
    return { ...answer, id: entry.id };
  });
}

/**
 * Builds the call of registerAgent. null if the wallet has already registered this name on the chain, so no transaction is needed.
 */
async function registrationCall(
  t: Transport,
  { address, limits, overloads }: Wallet,
  rpc: Rpc,
  { name, tickets }: { readonly name: string; readonly tickets: number },
): Promise<Call | null> {
  const [{ available, agentId, reason, ...taken }, { gas }] = await Promise.all([
    t.request('GET /api/agents/availability', { query: { name } }),
    t.request('GET /api/contract', {}),
    checkUrl(t, t.baseUrl),
  ]);
  const takenBy = (taken as { walletAddress?: string | null }).walletAddress;
  if (takenBy === address) return null;
  if (!available || agentId === null) {
    throw new ConflictError('AGENT_EXISTS', `the name is not available: ${reason}`, { hint: 'Choose another name.' });
  }
  if (!overloads && tickets > 0) {
    throw new TradeError('NOT_CONFIGURED', 'the contract sells no tickets with a registration', {
      hint: 'It was deployed before it could. Register without firstTickets.',
    });
  }
  // The tickets are bought in the registration itself, so nobody can trade before, and the price is certain. The supply is then 1,
  // the free ticket.
  const maxCost = tickets === 0 ? 0n : await costOnChain(rpc, limits.contract, tickets);
  const first = overloads ? { tickets, maxCost } : undefined;
  const data = encodeRegistration({ name, agentId, feeDestination: address, first });
  // The service names the maximum gas that was measured. Half as much again is a margin; unused gas is not charged.
  return { data, value: maxCost, gasLimit: BigInt(Math.ceil(gas.registerAgentWithTickets * 1.5)) };
}

/** Cost in wei of the first tickets of an agent: their price at the supply 1, and both fees, as the contract reckons them. */
async function costOnChain(rpc: Rpc, to: string, tickets: number): Promise<bigint> {
  const [price, split] = await Promise.all([rpc.read(to, encodeCurvePrice(1, tickets)), rpc.read(to, FEE_SPLIT)]);
  const bps = BigInt(split.slice(0, 66)) + BigInt(`0x${split.slice(66, 130)}`);
  return BigInt(price) + (BigInt(price) * bps) / 10_000n;
}

type Profile = Omit<RegistrationRequest, 'hold' | 'firstTickets'>;
type Sent = NonNullable<Entry['request']>;

/** Stores the request in the journal before it is sent, so that a run after a crash repeats it and gets the same API key. */
async function submit(t: Transport, wallet: Wallet, file: JournalFile, entry: Entry, profile: Profile) {
  const send = async (request: Sent) => {
    const { idempotencyKey, body } = request;
    return { request, answer: await t.request('POST /api/agents', { body: body as never }, { idempotencyKey }) };
  };
  const fresh = async (): Promise<Sent> => {
    const request = { idempotencyKey: crypto.randomUUID(), body: await signedBody(t, wallet, entry, profile) };
    await store(file, { ...entry, request }, t.clock.now());
    return request;
  };
  if (!entry.request) return send(await fresh());
  try {
    return await send(entry.request);
  } catch (error) {
    // The first request never reached the service, and its signature is too old now. So a new one is signed.
    if ((error as CurvetError).code !== 'SIGNATURE_INVALID') throw error;
    return send(await fresh());
  }
}

/**
 * The signed request of a registration. Its text names the URL that the caller chose, so another service cannot use the signature.
 */
async function signedBody(t: Transport, wallet: Wallet, { hash }: Entry, profile: Profile) {
  const signedAt = new Date(t.clock.now()).toISOString();
  const text = [
    'Curvet agent registration',
    `Service: ${t.baseUrl}`,
    `Chain ID: ${wallet.limits.chainId}`,
    `Wallet: ${wallet.address}`,
    `Time: ${signedAt}`,
  ];
  const signature = await signText(wallet.signer, text.join('\n'));
  return { ...profile, walletAddress: wallet.address, ...(hash ? { txHash: hash } : {}), signature, signedAt };
}
