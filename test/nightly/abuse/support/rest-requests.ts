import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../../../src/server/json-schema.js';
import { freshIp } from '../../../support/market/agents.js';
import { root } from '../../../support/service/process.js';
import type { Dice } from './dice.js';
import type { Member, Population } from './population.js';
import { Values } from './values.js';

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
};
export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
  readonly needsKey: boolean;
};
/** A generated request. `operation` is its method and path in OpenAPI, `caller` the wallet of the agent whose key it has. */
export type Request = {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
  readonly caller: string | undefined;
};

type Document = {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
};

export const openapi = JSON.parse(readFileSync(join(root, 'schema/openapi.json'), 'utf8')) as Document;

/** All operations of the OpenAPI document, with their parameters and their body. */
export function operations(): readonly Operation[] {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => {
      const {
        parameters = [],
        requestBody,
        security = [],
      } = declared as {
        parameters?: Parameter[];
        requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
        security?: object[];
      };
      // The entries of `security` are alternatives. An entry without `apiKey` means that a request without a key is allowed, too.
      const needsKey = security.length > 0 && security.every((scheme) => 'apiKey' in scheme);
      const body = requestBody?.content['application/json'].schema;
      return { method: method.toUpperCase(), path, parameters, body, needsKey };
    }),
  );
}

export const MALFORMED_HOSTS: readonly string[] = ['a b', '[::1', 'x/y'];

/** Generates requests from the OpenAPI document. Most are well-formed. Some contain hostile parts. */
export class RestRequests {
  readonly #values: Values;
  readonly #operations = operations();
  #count = 0;

  constructor(
    private readonly dice: Dice,
    private readonly population: Population,
  ) {
    this.#values = new Values(dice, population, openapi.components.schemas);
  }

  /** Generates the next request. The calls go through the operations in turn, so that each is tried equally often. */
  next(): Request {
    const { dice, population } = this;
    const operation = this.#operations[this.#count++ % this.#operations.length] as Operation;
    const { method, path, parameters, needsKey } = operation;
    const caller = this.#caller(needsKey, method === 'DELETE' ? population.others : population.members);
    this.#values.caller = population.members.find(({ wallet }) => wallet === caller.wallet);
    const spoiled = dice.chance(0.35);
    const value = ({ name, schema }: Parameter): unknown =>
      spoiled && dice.chance(0.4) ? this.#values.hostile() : this.#values.plausible(name, schema);
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && (parameter.required || dice.chance(0.3)))
      .map((parameter) => [parameter.name, textOf(value(parameter))] as const);
    if (spoiled && dice.chance(0.1))
      query.push(
        dice.pick([
          ['__proto__', 'x'],
          ['page', '1'],
          ['', ''],
          ['a[b]', 'c'],
        ]),
      );
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const filled = inPath.reduce((text, parameter) => text.replace(`{${parameter.name}}`, encoded(textOf(value(parameter)))), path);
    return {
      operation: `${method} ${path}`,
      method,
      path: query.length === 0 ? filled : `${filled}?${query.map((pair) => pair.map(encoded).join('=')).join('&')}`,
      headers: { ...freshIp(), ...this.#headers(spoiled), ...caller.headers },
      body: this.#body(operation, spoiled),
      caller: caller.wallet,
    };
  }

  /** Chooses a key. Most requests have the key that they need. The others have no key, that of a deleted agent, or a wrong key. */
  #caller(needsKey: boolean, members: readonly Member[]): { wallet?: string; headers: Record<string, string> } {
    const { dice, population } = this;
    if (!dice.chance(needsKey ? 0.95 : 0.5)) return { headers: {} };
    if (dice.chance(0.05)) return { headers: { 'x-api-key': dice.pick(['', 'x', 'A'.repeat(64), 'a'.repeat(5000)]) } };
    const isDeleted = population.deleted.length > 0 && dice.chance(0.05);
    const { wallet, key } = dice.pick(isDeleted ? population.deleted : members);
    return { wallet, headers: { 'x-api-key': key } };
  }

  #headers(spoiled: boolean): Record<string, string> {
    const { dice } = this;
    const odd: Record<string, readonly string[]> = {
      'if-none-match': ['*', '"x"', 'W/"x", "y"', ','.repeat(500)],
      'cache-control': ['no-cache', 'no-store', 'max-age=x'],
      // A key may have at most 255 characters.
      'idempotency-key': ['a', `key ${dice.below(1000)}`, `k-${dice.below(100_000)}`, 'x'.repeat(255), 'x'.repeat(256)],
      accept: ['text/html', '*/*;q=0', 'application/xml', 'a/b,'.repeat(200), ''],
      'content-type': ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', ''],
      'accept-encoding': ['gzip', 'br;q=2', 'identity;q=0'],
      'content-encoding': ['gzip'],
      range: ['bytes=0-0', 'bytes=-1'],
      'x-http-method-override': ['DELETE'],
      origin: ['null', 'https://elsewhere.example'],
      expect: ['100-continue'],
      host: ['localhost', ...MALFORMED_HOSTS],
    };
    const names = dice.some(Object.keys(odd), spoiled ? 0.06 : 0.02);
    return Object.fromEntries(names.map((name) => [name, dice.pick(odd[name] ?? [])]));
  }

  #body({ method, body: schema }: Operation, spoiled: boolean): string | Buffer | undefined {
    const { dice } = this;
    if (schema === undefined) return method !== 'GET' || !dice.chance(0.02) ? undefined : '{"a":1}';
    const object = this.#values.plausible('body', schema) as Record<string, unknown>;
    if (!spoiled) return JSON.stringify(object);
    for (const name of Object.keys(object)) if (dice.chance(0.3)) object[name] = this.#values.hostile();
    const text = JSON.stringify(object);
    return dice.chance(0.5) ? text : spoiledJson(text, dice);
  }
}

/** Spoils a JSON body: adds duplicate or special keys, or makes a text that is not JSON, not an object or not UTF-8. */
export function spoiledJson(text: string, dice: Dice): string | Buffer {
  const inner = text.slice(1, -1);
  const comma = inner === '' ? '' : ',';
  return dice.pick<() => string | Buffer>([
    () => `{${inner}${comma}${inner}}`,
    () => `{"__proto__":{"polluted":true}${comma}${inner}}`,
    () => `{"constructor":{"prototype":{"polluted":true}}${comma}${inner}}`,
    () => text.slice(0, dice.below(text.length)),
    () => `[${text}]`,
    () => `${'['.repeat(2000)}${']'.repeat(2000)}`,
    () => `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
    () => `\ufeff${text}`,
    () => `${text} ${text}`,
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('}')]),
    () => `{"long":"${'x'.repeat(11_000)}"}`,
    () => 'null',
    () => '',
  ])();
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
/** `encodeURIComponent` throws on a lone surrogate, so `toWellFormed` replaces it first. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
