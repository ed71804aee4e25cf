import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Context } from 'koa';
import type { Deps } from '../../../deps.js';
import { asksForNew, publicBytes, sendPublic } from '../../http/public-answer.js';
import type { GraphContext } from './context.js';
import { formatError } from './errors.js';
import { preferred } from './media-types.js';
import { type PreparedQuery, preparation } from './prepared.js';
import { type GraphRequest, isRecord, persistedHash } from './request.js';

/** What Apollo wants of a GET: a header that no page elsewhere can send without asking first. */
const PREFLIGHTED = ['x-apollo-operation-name', 'apollo-require-preflight'];

const preferredForm = preferred('application/json', 'application/graphql-response+json');

/** An answer that is for whoever waits for it, and is not kept: with errors, or none at all. */
class Unkept extends Error {
  constructor(readonly text: string | null) {
    super('not kept');
  }
}

/**
 * Answers valid queries in Apollo's stead, and as it would: they are most of what is asked, and its way costs more than
 * their execution. Public ones are kept as bytes for a second, for those who ask without a key. Gives false, and has
 * done nothing, for all else: mutations, what is not valid, what has to be refused or remembered.
 */
export function queryAnswers(deps: Deps, schema: GraphQLSchema) {
  const prepared = preparation(schema);

  /** Null if nothing was executed: the variables are wrong. */
  async function textOf(query: PreparedQuery, context: GraphContext, variables: Record<string, unknown>) {
    const { data, errors } = await query.run(context, variables);
    if (errors === undefined) return JSON.stringify({ data });
    if (data === undefined) throw new Unkept(null);
    const shown = errors.map((error) => formatError(deps, error.toJSON(), error));
    throw new Unkept(JSON.stringify({ errors: shown, data }));
  }

  return async (ctx: Context, document: DocumentNode, request: GraphRequest, context: () => GraphContext) => {
    const { operationName, extensions } = request;
    const variables = request.variables ?? {};
    if (operationName != null && typeof operationName !== 'string') return false;
    if (!isRecord(variables) || (extensions != null && !isRecord(extensions))) return false;
    if (request.query !== undefined && persistedHash(request) !== undefined) return false;
    if (!mayRead(ctx)) return false;
    const accepted = preferredForm(ctx);
    const query = accepted && prepared.query(document, operationName ?? undefined);
    if (!query) return false;
    const type = `${accepted}; charset=utf-8`;
    const answer = () => textOf(query, context(), variables);
    ctx.vary(['X-Api-Key', 'Accept']);
    try {
      if (query.isPublic && ctx.get('x-api-key') === '' && !wantsNew(ctx)) {
        const key = `${query.id} ${operationName ?? ''} ${JSON.stringify(variables)}`;
        sendPublic(ctx, type, await publicBytes(deps.caches.graphqlAnswers, ctx, key, answer));
      } else {
        const text = await answer();
        ctx.type = type;
        ctx.body = text;
      }
    } catch (thrown) {
      if (!(thrown instanceof Unkept)) throw thrown;
      if (thrown.text === null) return false;
      ctx.type = type;
      ctx.body = thrown.text;
    }
    return true;
  };
}

/** What is made for one caller alone and sent by POST is asked for by no name. */
const wantsNew = (ctx: Context): boolean => ctx.method === 'POST' && asksForNew(ctx);

const mayRead = (ctx: Context): boolean =>
  ctx.method === 'POST' || (ctx.method === 'GET' && PREFLIGHTED.some((name) => ctx.get(name) !== ''));
