import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import { queryCostLimits, windowsOf } from '../../access/limit-rows.js';
import { takeWindows, type Window, type WindowState } from '../../access/rate-limit.js';
import { costOf } from './cost.js';
import type { ParsedRequest } from './parse.js';

/** The windows that count the query cost of this caller. */
export const costWindows = (actor: Actor | null, ip: string): Window[] =>
  windowsOf([actor ? queryCostLimits.perKey : queryCostLimits.perIp], actor, ip);

/** The client that sent a request: its IP address, and its agent if it sent a key. */
export type Caller = {
  readonly actor: Actor | null;
  readonly ip: string;
  /** Receives the state of the windows after the caller was charged. */
  readonly announce?: (windows: readonly WindowState[]) => void;
};

export type AdmittedRequest = ParsedRequest & {
  /** Query cost of one execution. */
  readonly cost: number;
};

/** Stage 2: checks depth and query cost of a request, and charges the cost to its caller. */
export class Admission {
  /** Costs of documents without variables, by operation name. */
  readonly #fixedCosts = new WeakMap<DocumentNode, Map<string | undefined, number>>();

  constructor(
    private readonly deps: Deps,
    private readonly schema: GraphQLSchema,
  ) {}

  /** `parse` is a function, so that a request that the parser refuses is charged, too: one point. */
  async admit({ actor, ip, announce }: Caller, parse: () => ParsedRequest): Promise<AdmittedRequest> {
    let admitted: AdmittedRequest | undefined;
    let refusal: unknown;
    try {
      const parsed = parse();
      admitted = { ...parsed, cost: this.#costOf(parsed) };
    } catch (error) {
      refusal = error;
    }
    const cost = admitted?.cost ?? 1;
    const charged = costWindows(actor, ip).map((window) => ({ ...window, cost }));
    const windows = await takeWindows(this.deps, charged);
    announce?.(windows);
    if (admitted === undefined) throw refusal;
    return admitted;
  }

  #costOf({ document, operationName, variableValues }: ParsedRequest): number {
    const costs = this.#fixedCosts.get(document);
    const fixed = costs?.get(operationName);
    if (fixed !== undefined) return fixed;
    const cost = costOf(this.schema, document, operationName, variableValues);
    const hasVariables = document.definitions.some(
      (node) => node.kind === Kind.OPERATION_DEFINITION && node.variableDefinitions?.length,
    );
    // Only names of existing operations are stored, so that clients cannot fill the memory with invented names.
    if (!hasVariables && getOperationAST(document, operationName)) {
      this.#fixedCosts.set(document, (costs ?? new Map<string | undefined, number>()).set(operationName, cost));
    }
    return cost;
  }
}
