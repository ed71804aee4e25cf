import type { RateLimit } from './http/rate-limit.js';
import type { Answer, Input, Operation, RequestOptions, TransportOptions } from './http/transport.js';
import { Transport } from './http/transport.js';
import { liveOf } from './live.js';
import type { Registration, RegistrationRequest } from './registration.js';
import { agentsOf, feedOf, marketOf, meOf, seasonsOf, thesesOf } from './resources.js';
import type { WalletOptions } from './signing/connection.js';
import type { Trade } from './trade.js';
import type { Withdrawal, WithdrawalRequest } from './withdrawal.js';

export type CurvetOptions = TransportOptions & WalletOptions;

/** The client of one service, and of one agent if it has a key. */
export class Curvet {
  readonly #transport: Transport;
  readonly agents: ReturnType<typeof agentsOf>;
  readonly me: ReturnType<typeof meOf>;
  readonly feed: ReturnType<typeof feedOf>;
  readonly seasons: ReturnType<typeof seasonsOf>;
  readonly theses: ReturnType<typeof thesesOf>;
  readonly market: ReturnType<typeof marketOf>;
  readonly live: ReturnType<typeof liveOf>;
  /** Purchases and sales, from the quote to the record. They need `signer`, `limits` and `journal`. */
  readonly trade: Trade;
  /** Registers the wallet on the chain and with the service. The client uses the new key from then on. */
  readonly register: (request: RegistrationRequest) => Promise<Registration>;
  /** Withdraws the fees of the agent from the contract to its fee destination: at least 0.001 ETH, once in 24 hours. */
  readonly withdraw: (request?: WithdrawalRequest) => Promise<Withdrawal>;

  constructor(options: CurvetOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.agents = agentsOf(transport);
    this.me = meOf(transport);
    this.feed = feedOf(transport);
    this.seasons = seasonsOf(transport);
    this.theses = thesesOf(transport);
    this.market = marketOf(transport);
    this.live = liveOf(transport);
    let loaded: ReturnType<typeof load> | undefined;
    const load = async () => (await import('./trading.js')).tradingOf(transport, options);
    // The code that signs is loaded when it is first needed, so a client that only reads does not load it.
    const trading = () => {
      loaded ??= load();
      return loaded;
    };
    this.trade = {
      buy: async (request) => (await trading()).trade.buy(request),
      sell: async (request) => (await trading()).trade.sell(request),
      dryRun: async (side, request) => (await trading()).trade.dryRun(side, request),
      open: async () => (await trading()).trade.open(),
      close: async (id) => (await trading()).trade.close(id),
    };
    this.register = async (request) => (await trading()).register(request);
    this.withdraw = async (request) => (await trading()).withdraw(request);
  }

  /** The rate limit window with the fewest requests left, by the last answer that has limits. undefined before that. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }

  /** Sends any operation of the service, such as `request('POST /dev/faucet', { body: { address } })`. */
  request<O extends Operation>(operation: O, input: Input<O>, options?: RequestOptions): Promise<Answer<O>> {
    return this.#transport.request(operation, input, options);
  }
}

export * from './errors.js';
export type {
  Agent,
  Agent as AgentProfile,
  AgentCard,
  Operations,
  Outcome,
  Pagination,
  Points,
  Thesis,
  ThesisRecord,
} from './generated/api.js';
export type { Clock } from './http/clock.js';
export type { List } from './http/lists.js';
export type { RateLimit } from './http/rate-limit.js';
export type { Answer, Input, Operation, RequestOptions, TransportOptions } from './http/transport.js';
export type { LiveFeedEvent, LiveNotification, LiveOptions, LiveOutcome, LivePrice, LiveThesis, LiveTrade } from './live.js';
export type { RecordError } from './recording.js';
export type { Registration, RegistrationRequest } from './registration.js';
export type { ContractFunction, Side } from './signing/calldata.js';
export { type Ether, toEth, toWei } from './signing/ether.js';
export { type Entry, type Journal, type JournalFile, memoryJournal } from './signing/journal.js';
export type { SpendingLimits } from './signing/limits.js';
export type { Signer, Transaction } from './signing/signer.js';
export type { Trade, TradePlan, TradeRequest, TradeResult } from './trade.js';
export { type SignedWebhook, verifyWebhook } from './webhook.js';
export type { Withdrawal, WithdrawalRequest } from './withdrawal.js';
