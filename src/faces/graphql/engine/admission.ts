import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import { type LimitRow, windowsOf } from '../../access/limit-rows.js';
import { takeWindows, type Window, type WindowState } from '../../access/rate-limit.js';
import { Bounded } from './bounded-map.js';
import { costOf } from './cost.js';
import { checkVariables, type GraphRequest, isRecord, persistedHash, readDocument } from './request.js';

/** Points of cost, not requests. */
const POINTS = { name: 'graphql', seconds: 60, counts: 'points of query cost' };
const PER_IP: LimitRow = { ...POINTS, max: 6000, per: 'ip', advice: 'Send a key, or wait <seconds> seconds' };
const PER_KEY: LimitRow = { ...POINTS, max: 12_000, per: 'key' };

/** The windows in which the query cost of this caller counts. */
export const costWindows = (actor: Actor | null, ip: string): Window[] =>
  windowsOf([actor ? PER_KEY : PER_IP], actor, ip);

/** As many documents and persisted queries as are kept. */
export const KEPT = 500;
/** A document takes some 60 bytes for each of its characters, and 400 once it is compiled and has run for a while. */
const KEPT_CHARACTERS = 100_000;

const PERSISTED = 'apq:';

/** What a request asks, null if it is no GraphQL at all, and its query cost. */
export type Admitted = { readonly document: DocumentNode | null; readonly cost: number };

/** Lets a request in, whichever way it came, or throws why not. */
export type Admission = {
  /**
   * Counts the request in the windows of its caller, after it was judged; one that is refused for what it asks counts as
   * the cheapest does. `announce` hears how the windows of an admitted request stand. What is admitted keeps the limits of a
   * single request. The executor reports what is no GraphQL at all.
   */
  admit(
    caller: { readonly actor: Actor | null; readonly ip: string },
    request: GraphRequest,
    announce?: (windows: readonly WindowState[]) => void,
  ): Promise<Admitted>;
};

/** `persisted`: the texts of persisted queries, by `apq:` and their hash. */
export function admission(deps: Deps, schema: GraphQLSchema, persisted: Bounded<string>): Admission {
  const documents = new Bounded<DocumentNode>(KEPT, KEPT_CHARACTERS);
  const fixed = new WeakMap<DocumentNode, Map<string | undefined, number>>();

  /** Measured once where no variable can change it. */
  function costOfRequest(document: DocumentNode, name: string | undefined, variables: Record<string, unknown>): number {
    const before = fixed.get(document)?.get(name);
    if (before !== undefined) return before;
    const cost = costOf(schema, document, name, variables);
    const hasVariables = document.definitions.some(
      (node) => node.kind === Kind.OPERATION_DEFINITION && node.variableDefinitions?.length,
    );
    // A name that no operation has is not kept: there is no end of them.
    if (!hasVariables && getOperationAST(document, name)) {
      fixed.set(document, (fixed.get(document) ?? new Map<string | undefined, number>()).set(name, cost));
    }
    return cost;
  }

  /** The document and cost of a request, if it keeps the limits of a single one. What is no GraphQL at all costs 1. */
  function judge(request: GraphRequest): Admitted {
    const hash = persistedHash(request);
    const text = request.query ?? (hash === undefined ? undefined : persisted.get(PERSISTED + hash));
    if (typeof text !== 'string') return { document: null, cost: 1 };
    const known = documents.get(text);
    const document = known ?? readDocument(text);
    if (document === null) return { document, cost: 1 };
    if (known === undefined) documents.set(text, document);
    const variables = isRecord(request.variables) ? request.variables : {};
    checkVariables(document, variables);
    const { operationName } = request;
    const name = typeof operationName === 'string' ? operationName : undefined;
    return { document, cost: costOfRequest(document, name, variables) };
  }

  return {
    async admit({ actor, ip }, request, announce) {
      let judged: Admitted | undefined;
      let refusal: unknown;
      try {
        judged = judge(request);
      } catch (error) {
        refusal = error;
      }
      const cost = judged?.cost ?? 1;
      // Outside of the optional call, which evaluates no arguments where nobody listens.
      const windows = await takeWindows(
        deps,
        costWindows(actor, ip).map((window) => ({ ...window, cost })),
      );
      announce?.(windows);
      if (judged === undefined) throw refusal;
      return judged;
    },
  };
}
