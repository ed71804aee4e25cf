import type { GraphQLSchema } from 'graphql';
import type { Deps } from '../../../deps.js';
import { outageOf } from '../../../outage.js';
import { type Span, traced } from '../../../spans.js';
import type { Actor } from '../../access/authenticate.js';
import { publicReadDeps } from '../../access/perform-write.js';
import type { Watch } from '../live/watch.js';
import { LookAhead } from '../types/lookahead.js';
import { Admission, type Caller } from './admit.js';
import { type Answer, CachedAnswers, type CacheUse, type PrivateAnswer } from './cached-answers.js';
import { contextOf, type GraphContext } from './context.js';
import { Executor } from './execute.js';
import { formatResult } from './format.js';
import { type GraphRequest, RequestParser } from './parse.js';
import { type Operation, Validator } from './validate.js';

/** A request as a transport received it. */
export type Call = Caller & {
  readonly request: GraphRequest;
  /** Throws if the transport does not accept the request. Runs before the request is parsed. */
  readonly check?: () => void;
  /** Throws if the transport cannot answer the operation. */
  readonly checkOperation?: (operation: Operation) => void;
  readonly cache?: CacheUse;
  /** Sequence of the last event that the client received, if the transport knows it. */
  readonly lastSeen?: string;
};

/** A subscription that was accepted. The hub sends its events. */
export type Subscription = { readonly operation: Operation; readonly watch: Watch; readonly context: GraphContext };

type Accepted = { readonly kind: 'subscription' } & Subscription;
type Outcome<A extends Answer = Answer> = (A & { readonly operation: Operation }) | Accepted;

/** Executes GraphQL for every transport. Owns the stages and their caches. */
export class Engine {
  readonly #parser = new RequestParser();
  readonly #admission: Admission;
  readonly #validator: Validator;
  readonly #cachedAnswers: CachedAnswers;
  readonly #executor: Executor;
  readonly #lookAhead = new LookAhead();

  constructor(
    private readonly deps: Deps,
    readonly schema: GraphQLSchema,
  ) {
    this.#admission = new Admission(deps, schema);
    this.#validator = new Validator(schema);
    this.#cachedAnswers = new CachedAnswers(schema);
    this.#executor = new Executor(schema);
  }

  /** Runs the stages of a request in order. Throws RefusedRequest or an AppError if a stage refuses the request. */
  run(call: Omit<Call, 'cache'>): Promise<Outcome<PrivateAnswer>>;
  run(call: Call): Promise<Outcome>;
  run(call: Call): Promise<Outcome> {
    return traced(graphqlSpan, (span) => this.#run(call, span));
  }

  async #run(call: Call, span: Span | undefined): Promise<Outcome> {
    const parse = () => {
      call.check?.();
      return this.#parser.parse(call.request);
    };
    const admitted = await this.#admission.admit(call, parse);
    const operation = this.#validator.validate(admitted);
    this.#parser.register(operation);
    if (span) describeOperation(span, operation);
    call.checkOperation?.(operation);
    const context = () => this.contextOf(call.actor, call.ip);
    if (operation.node.operation === 'subscription') {
      const subscriber = context();
      const watch = await this.#executor.subscribe(operation, subscriber, call.lastSeen);
      return { kind: 'subscription', operation, watch, context: subscriber };
    }
    const source = this.#sourceOf(operation, call);
    const execute = async () => {
      const caller = contextOf(source, call.actor, call.ip, this.#lookAhead);
      return formatResult(this.deps, await this.#executor.execute(operation, caller), caller.replayed);
    };
    return { ...(await this.#cachedAnswers.lookUp(source, operation, call, execute)), operation };
  }

  /** Where an operation reads. Only public queries may read from a replica of the database. */
  #sourceOf(operation: Operation, { actor, ip }: Caller): Deps {
    if (this.deps.reads === undefined || !this.#cachedAnswers.isPublic(operation)) return this.deps;
    return publicReadDeps(this.deps, actor?.keyHash, ip);
  }

  contextOf(actor: Actor | null, ip: string): GraphContext {
    return contextOf(this.deps, actor, ip, this.#lookAhead);
  }

  /** Executes and formats a subscription for one event. Throws if the database is unavailable, so that the hub retries. */
  async answerEvent(operation: Operation, context: GraphContext, event: unknown): Promise<string> {
    const result = await this.#executor.execute(operation, context, event);
    const outage = result.errors?.find((error) => outageOf(error));
    if (outage) throw outage;
    return JSON.stringify(formatResult(this.deps, result));
  }
}

/** An operation over WebSocket is a trace of its own. Over HTTP it is part of the request. */
const graphqlSpan = (): Span => ({ name: 'graphql', begins: 'if none', attributes: {} });

const MAX_NAME = 100;

function describeOperation(span: Span, { node }: Operation): void {
  span.name = `graphql ${node.operation}`;
  span.attributes['graphql.operation.type'] = node.operation;
  if (node.name) span.attributes['graphql.operation.name'] = node.name.value.slice(0, MAX_NAME);
}
