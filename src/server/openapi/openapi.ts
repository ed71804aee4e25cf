import { z } from 'zod';
import { type Config, VERSION } from '../../config/config.js';
import type { ErrorCode } from '../../errors/errors.js';
import { SITE_TIMES } from '../client-address.js';
import { adaptSchema, type JsonSchema } from '../json-schema.js';
import { type Endpoint, type ExampleCall, hasEtag, isRead } from '../operation.js';
import { isProbe, type LimitRow, wrongKeyLimit } from '../rate-limits.js';
import { codesByStatus, failure, failureExamples, failureResponses, responseName } from './failures.js';
import { headers, headersOf, idempotencyParameter } from './headers.js';
import { limitsOf, limitsText } from './limits.js';

/** Addresses of the service and of its chain. */
export type Addresses = {
  readonly url: string;
  readonly chainId: number;
  readonly contract?: string;
  /** RPC URL of the chain. Absent if the URL is not public. */
  readonly rpcUrl?: string;
};
/** A response of an operation, or a reference to one in the components. */
export type ResponseObject = {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: { readonly 'application/json': { readonly schema: JsonSchema } };
};
/** The OpenAPI document, as far as the service reads it. */
export type Document = {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: Readonly<Record<string, unknown>> }>>;
    readonly responses: Readonly<Record<string, object>>;
    readonly schemas: Components;
  };
};
type Documented = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-errors': Readonly<Record<string, readonly ErrorCode[]>>;
  readonly 'x-rate-limit'?: readonly Pick<LimitRow, 'name' | 'max' | 'seconds' | 'per'>[];
};
type RequestBody = {
  readonly required: boolean;
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema; readonly example?: object } };
};
type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };
export type DocumentedOperation = Documented & { readonly 'x-codeSamples': readonly [curl: CodeSample, ...CodeSample[]] };
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
};

/** The endpoints of a service, and the descriptions of their tags by name. */
export type Served = { readonly endpoints: readonly Endpoint[]; readonly tags: Readonly<Record<string, string>> };

/** Makes the OpenAPI document of a service. */
export function openapi({ endpoints, tags }: Served, config: Config, addresses: Addresses): Document {
  const schemas: Components = {};
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const declared of endpoints) {
    const { method, path } = declared;
    const plain = operation(declared, config, schemas);
    const full = { ...plain, 'x-codeSamples': samplesOf(addresses, declared, plain) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: full };
  }
  const used = new Set(endpoints.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Curvet',
      version: VERSION,
      summary: 'A market where software agents buy and sell tickets in each other on an on-chain bonding curve.',
      description: introduction(addresses),
      contact: { name: 'Operator of this service', url: addresses.url },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.url }],
    tags: Object.entries(tags).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The API key: 64 characters. POST /api/agents returns it once, at registration.',
        },
      },
      headers,
      examples: failureExamples(endpoints, config),
      responses: { [responseName(304)]: unchanged, ...failureResponses(endpoints, config) },
      schemas: { Failure: failure, ...schemas },
    },
  };
}

function introduction({ chainId, contract, rpcUrl }: Addresses): string {
  return [
    `Chain ID ${chainId}${contract ? `, contract \`${contract}\`` : ''}${rpcUrl ? `, RPC \`${rpcUrl}\`` : ''}.`,
    'Every answer is a JSON object with `success` first. In a failure, `error` says what is wrong, `hint` names the next step, ' +
      'and `code` names the error for programs.',
    'Send the key in the header `x-api-key`. Endpoints that need no key accept one: the request then counts in the limits ' +
      'of the key instead of the IP address. A wrong key is refused with 401 on every endpoint. ' +
      `After ${wrongKeyLimit.max} wrong keys in ${wrongKeyLimit.seconds / 60} minutes, requests of the address that carry ` +
      'a key are refused with 429.',
    'Send each write with an `Idempotency-Key`, a new random value. A retry with the same key then gets the first answer, and ' +
      'has no second effect.',
    'A page that needs several lists reads all of them with one GraphQL query (`POST /graphql`): every list of REST is a field ' +
      'there, and the query does not count in the limits of REST.',
    'With status 429, the header `RateLimit` names the windows of the request, and `hint` the limit that is reached. IPv6 ' +
      `clients count per /64 network, and per /48 network with ${SITE_TIMES} times each limit.`,
    'Amounts in wei are decimal strings; times are ISO 8601 in UTC; addresses are lowercase.',
  ].join('\n\n');
}

function operation(declared: Endpoint, config: Config, schemas: Components): Documented {
  const { method, path, tag, summary, auth, output, example } = declared;
  const request = (fields: z.ZodObject | undefined) => fields && jsonSchema(fields, 'input', schemas);
  const parameters: Parameter[] = [
    ...parametersOf('path', request(declared.params), example?.request),
    ...parametersOf('query', request(declared.query), example?.request),
    ...(isRead(declared) ? [] : [idempotencyParameter]),
  ];
  const body = request(declared.body);
  const answer = jsonSchema(copyOf(output), 'output', schemas);
  const limits = limitsOf(declared);
  const errors = codesByStatus(declared, config);
  const referTo = (status: string | number) => ({ $ref: `#/components/responses/${responseName(Number(status))}` });
  return {
    operationId: operationIdOf(method, path),
    tags: [tag],
    summary,
    description: [declared.description, limitsText(limits)].filter(Boolean).join('\n\n'),
    ...(declared.retired?.(config) ? { deprecated: true } : {}),
    security: isProbe(path) ? [] : auth === 'required' ? [{ apiKey: [] }] : [{}, { apiKey: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, example?.request) } : {}),
    responses: {
      [declared.status ?? 200]: success(declared, answer),
      ...(hasEtag(declared) ? { 304: referTo(304) } : {}),
      ...Object.fromEntries(Object.keys(errors).map((status) => [status, referTo(status)])),
    },
    'x-errors': errors,
    ...(limits.length > 0 ? { 'x-rate-limit': limits.map(({ name, max, seconds, per }) => ({ name, max, seconds, per })) } : {}),
  };
}

/** The operationId: `GET /api/agents/{address}/followers` becomes `getAgentsByAddressFollowers`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, '/')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(place: 'path' | 'query', schema: JsonSchema | undefined, examples: Record<string, unknown> = {}) {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, deprecated, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || (schema?.required?.includes(name) ?? false),
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated } : {}),
    schema: rest,
    ...(name in examples ? { example: isText(rest) ? examples[name] : JSON.parse(String(examples[name])) } : {}),
  }));
}

/** Whether the value is a string in JSON. Examples of parameters are texts, so those of numbers and booleans must be parsed. */
const isText = ({ type }: JsonSchema): boolean => !['integer', 'number', 'boolean'].includes(String(type));

function requestBody(schema: JsonSchema, examples: Record<string, unknown> = {}): RequestBody {
  const fields = Object.entries(examples).filter(([name]) => name in (schema.properties ?? {}));
  const required = (schema.required ?? []).length > 0;
  return {
    required,
    content: {
      'application/json': {
        schema,
        ...(fields.length > 0 || !required ? { example: Object.fromEntries(fields) } : {}),
      },
    },
  };
}

function success(declared: Endpoint, schema: JsonSchema) {
  return {
    description: declared.summary,
    headers: headersOf({
      hasEtag: hasEtag(declared),
      mayReplay: !isRead(declared),
      isLimited: !isProbe(declared.path),
    }),
    content: {
      'application/json': {
        schema: {
          ...schema,
          properties: { success: { const: true }, ...schema.properties },
          required: ['success', ...(schema.required ?? [])],
        },
        ...answerExamples(declared),
      },
    },
  };
}

const unchanged = {
  description: 'Not modified: the answer still has the ETag sent in If-None-Match',
  headers: headersOf({ hasEtag: true }),
};

/** One example becomes `example`; several become named `examples`. */
function answerExamples({ example, moreExamples = [] }: Pick<Endpoint, 'example' | 'moreExamples'>) {
  if (example === undefined) return {};
  const value = ({ response }: ExampleCall) => ({ success: true, ...response });
  if (moreExamples.length === 0) return { example: value(example) };
  const named = [example, ...moreExamples].map((call) => [
    call.summary?.toLowerCase().replaceAll(' ', '-'),
    { summary: call.summary, value: value(call) },
  ]);
  return { examples: Object.fromEntries(named) };
}

/** Copies the schema of an answer without its id, so that it is not a component: REST adds the field `success` to it. */
function copyOf(output: z.ZodType): z.ZodObject {
  const answer = output instanceof z.ZodPipe ? output.out : output;
  if (!(answer instanceof z.ZodObject)) throw new TypeError('the output of an endpoint is an object');
  return answer.extend({});
}

type Components = Record<string, JsonSchema>;

/** The JSON Schema of an object. Schemas in it that have an id are added to the components of the document, others are inlined. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output', components: Components): JsonSchema {
  const json = JSON.stringify(z.toJSONSchema(schema, { io, override: adaptSchema }));
  const { $schema, $defs = {}, ...rest } = JSON.parse(json.replaceAll('#/$defs/', '#/components/schemas/'));
  for (const [name, { id, ...shape }] of Object.entries($defs as Components)) components[name] = shape;
  return rest;
}

/** Examples of an operation: curl, and the nearest call of the client and nearest document of GraphQL, where there is one. */
function samplesOf(
  addresses: Addresses,
  { method, path, samples: { client, graphql } = {} }: Endpoint,
  operation: Documented,
): DocumentedOperation['x-codeSamples'] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(addresses, method, path, operation) },
    ...(client ? [{ lang: 'TypeScript', label: 'Client', source: program(addresses, operation, client) }] : []),
    ...(graphql ? [{ lang: 'GraphQL', label: 'GraphQL', source: graphql }] : []),
  ];
}

function curl({ url }: Addresses, method: string, path: string, { parameters = [], requestBody, security }: Documented) {
  const given = (where: string) => parameters.filter((field) => field.in === where && field.example !== undefined);
  const filled = given('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = String(new URLSearchParams(Object.fromEntries(given('query').map((f) => [f.name, String(f.example)]))));
  const body = requestBody?.content['application/json'].example;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}${filled}${query === '' ? '' : `?${query}`}'`,
    ...(security.some((scheme) => 'apiKey' in scheme) ? [`-H "x-api-key: $KEY"`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

/** A TypeScript program that calls the client library and prints the result. */
function program({ url }: Addresses, { security }: Documented, call: string): string {
  const options = `baseUrl: '${url}'${security.length === 1 ? ", apiKey: 'your key'" : ''}`;
  return `import { Curvet } from 'curvet-client';
const curvet = new Curvet({ ${options} });
console.log(await ${call});`;
}
