import type { Config } from '../../../src/config/config.js';
import { errorTable } from '../../../src/errors/errors.js';
import { endpoints } from '../../../src/features/features.js';
import { errorsOf } from '../../../src/server/openapi/failures.js';
import type { Endpoint } from '../../../src/server/operation.js';
import { restAnswer } from '../../../src/server/resources/answers.js';

// Checks the answers of tests against the declaration of their endpoint.

type Seen = { readonly status: number; readonly body: Record<string, unknown> };

/** Finds the endpoint of a request like the router: a literal path takes precedence over parameters. */
export function declarationOf(list: readonly Endpoint[], method: string, url: string): Endpoint | undefined {
  const path = url.split(/[?#]/)[0] ?? '';
  const fits = list.filter((declared) => pattern(declared).test(path));
  const fewest = Math.min(...fits.map(parameters));
  // If a literal path fits, paths with parameters do not count.
  return fits.find((declared) => declared.method === method && (fewest > 1 || parameters(declared) === 1));
}

const pattern = ({ path }: Endpoint): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
/** The number of parameters of a path, plus 1. */
const parameters = ({ path }: Endpoint): number => path.split('{').length;

/**
 * Throws if an answer differs from the declaration of its endpoint: in its shape, in the order of its fields, or by an error that
 * is not declared.
 */
export function holdToDeclaration(config: Config, method: string, url: string, answer: Seen): void {
  const declared = declarationOf(endpoints(config), method, url);
  if (!declared) return;
  const fault = answer.status < 300 ? faultOfSuccess(declared, answer) : faultOfFailure(declared, config, answer);
  if (fault) throw new Error(`${declared.method} ${declared.path}: ${fault}`);
}

/** Says how a success differs from the declaration. undefined if it does not differ. */
export function faultOfSuccess(declared: Endpoint, { status, body }: Seen): string | undefined {
  if (status !== (declared.status ?? 200)) return `status ${status} is not declared`;
  const { success, ...output } = body;
  const parsed = restAnswer(declared.output).schema.safeParse(output);
  if (!parsed.success) return `not the declared shape: ${parsed.error.message}`;
  // The parsed value contains only declared fields, in declared order.
  const expected = JSON.stringify({ success: true, ...(parsed.data as object) });
  const actual = JSON.stringify(body);
  return expected === actual ? undefined : `declared fields in their order: ${expected}; answered: ${actual}`;
}

function faultOfFailure(declared: Endpoint, config: Config, { status, body }: Seen): string | undefined {
  const names = Object.keys(body).slice(0, 4).join();
  if (names !== 'success,error,hint,code' || body.success !== false) return `not a failure: ${JSON.stringify(body)}`;
  const listed = errorsOf(declared, config).some((code) => {
    const [declaredStatus, message] = errorTable[code];
    return code === body.code && status === declaredStatus && template(message).test(String(body.error));
  });
  return listed ? undefined : `does not declare ${status} ${body.code} "${body.error}"`;
}

/** Matches an error message. A placeholder of `errorTable`, such as `<max>`, stands for any text. */
const template = (message: string): RegExp =>
  new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/<\w+>/g, '.+')}$`);
