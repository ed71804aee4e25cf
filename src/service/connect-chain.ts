import { Unreachable } from '../config/config.js';
import type { Deps } from '../deps.js';
import { OperatorError } from '../errors/errors.js';
import { hasOverloads } from '../features/trading/contract/contract.js';
import { ensureCursor } from '../index/cursor.js';
import { firstLine } from '../observe/outages.js';
import { sqlIn } from '../store/sql.js';
import { ofServer } from './database.js';
import { untilReached } from './patience.js';
import type { Stops } from './stops.js';

type Connecting = {
  /** Checks that the RPCs lead to the right chain and contract. */
  readonly check: () => Promise<void>;
  /** Starts the indexer. */
  readonly start: () => void;
  readonly stops: Stops;
  /** Ends the service, because the chain or its contract is the wrong one. */
  readonly crash: (reason: string) => void;
};

/**
 * Checks the chain, prepares the index and starts it. If no RPC answers, the service goes on without the chain, and the connection
 * is tried again until an RPC answers. Meanwhile, reads come from the database.
 */
export async function connectChain(deps: Deps, { check, start, stops, crash }: Connecting): Promise<void> {
  const { outages, times } = deps;
  const stopping = new AbortController();
  stops.push(() => stopping.abort());
  deps.seen.isConnected = false;
  const connect = async () => {
    await check();
    await storeFees(deps);
    await warnOfEarlierContract(deps);
    await ensureCursor(deps, startBlock(deps));
    if (!stopping.signal.aborted) start();
    deps.seen.isConnected = true;
  };
  try {
    await connect();
  } catch (error) {
    if (deps.config.chainEmbedded || !isPassing(error)) throw error;
    await recallFees(deps).catch(() => {});
    untilReached(connect, error, { outages, times, part: 'chain', passes: isPassing, signal: stopping.signal }).catch(
      (reason: Error) => {
        if (!stopping.signal.aborted) crash(firstLine(ofServer(reason)));
      },
    );
  }
}

/**
 * Whether the work may succeed later with the same settings. An error that is no OperatorError passes as well, because a node that
 * is still syncing gives wrong answers.
 */
function isPassing(thrown: unknown): boolean {
  const error = ofServer(thrown as Error);
  return !(error instanceof OperatorError) || error instanceof Unreachable;
}

/** First block that a new index reads. */
export const startBlock =
  ({ config, chain }: Pick<Deps, 'config' | 'chain'>) =>
  async (): Promise<number> =>
    config.START_BLOCK ?? (config.chainEmbedded ? 1 : chain.deployBlock());

const FEES = 'fee_split';

/** Stores the fees of the contract in the table `setting`. A later start reads them (`recallFees`) if it cannot reach the chain. */
async function storeFees({ chain, write }: Deps): Promise<void> {
  const { protocolBps, agentBps } = await chain.feeSplit();
  const store = 'insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';
  await write((tx) => sqlIn(tx)(store, [FEES, `${protocolBps} ${agentBps}`]));
}

async function recallFees({ chain, sql }: Deps): Promise<void> {
  const [row] = await sql<{ value: string }>('select value from setting where name = $1', [FEES]);
  const [protocolBps, agentBps] = (row?.value ?? '').split(' ');
  if (protocolBps && agentBps) chain.assumeFees({ protocolBps: BigInt(protocolBps), agentBps: BigInt(agentBps) });
}

/** Warns if the contract was deployed by an earlier version, which had fewer functions. It may come from an old data directory. */
async function warnOfEarlierContract({ config, chain, log }: Deps): Promise<void> {
  const missing = await chain.missingFunctions();
  if (hasOverloads(missing)) return;
  const remedy = config.chainEmbedded ? 'a new DATA_DIR has' : 'a new deployment has';
  log.warn(
    { contract: chain.contract, missing },
    `the contract was deployed by an earlier version: quotes with a deadline are refused; ${remedy} all functions`,
  );
}
