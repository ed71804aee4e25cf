import { type DocumentNode, executeSync, type GraphQLScalarType, Kind, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { errorTable } from '../../../../src/errors/errors.js';
import type { Json } from '../../../support/service/graphql.js';
import { type Generated, schema } from './graphql-documents.js';

/** Error codes of GraphQL itself for a malformed request. All other codes must be in `errorTable`. */
const REQUEST_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'BAD_REQUEST',
]);

/** Checks of the form that each scalar has in an answer. They replace `serialize` of the scalars, so `faultOfData` applies them. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Address: (value) => /^0x[0-9a-f]{40}$/.test(String(value)),
  DateTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  Eth: (value) => typeof value === 'string' && /^-?\d+(\.\d*[1-9])?$/.test(value),
  Hash: (value) => /^0x([0-9a-f]{64}|[0-9a-f]{8}…)$/.test(String(value)),
  JSONObject: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  Wei: (value) => typeof value === 'string' && /^-?\d+$/.test(value),
};
for (const [name, fits] of Object.entries(FORMS)) {
  (schema.getType(name) as GraphQLScalarType).serialize = (value) => {
    if (!fits(value)) throw new Error(`${JSON.stringify(value)} is no ${name}`);
    return value;
  };
}

/** Describes how an answer differs from what the schema and the document declare. undefined if it does not differ. */
export function faultOfAnswer(sent: Generated, status: number, body: Json): string | undefined {
  if (typeof body !== 'object' || body === null) return 'the body is no object';
  const unknown = Object.keys(body).filter((name) => !['data', 'errors', 'extensions'].includes(name));
  if (unknown.length > 0) return `undeclared fields ${unknown}`;
  const { data, errors } = body;
  if (errors === undefined) {
    if (data === undefined || data === null) return 'neither data nor errors';
  } else if (!Array.isArray(errors) || errors.length === 0) return 'errors is no list of errors';
  for (const error of errors ?? []) {
    const { message, extensions } = error;
    if (typeof message !== 'string' || typeof extensions?.hint !== 'string') return `no error: ${JSON.stringify(error)}`;
    const { code } = extensions;
    if (!REQUEST_CODES.has(code) && !Object.hasOwn(errorTable, code)) return `undeclared code ${code}`;
    if (!REQUEST_CODES.has(code) && errorTable[code as keyof typeof errorTable][0] >= 500) return `a fault: ${code}`;
  }
  if (status !== 200 && data !== undefined && data !== null) return `status ${status} with data`;
  return data === undefined || data === null ? undefined : faultOfData(sent, data);
}

/**
 * Executes the document again, with the answer as its data. The result equals the answer only if the answer has exactly the
 * selected fields, in their order and of their types.
 */
function faultOfData({ query, variables }: Generated, data: Json): string | undefined {
  const again = executeSync({
    schema,
    document: parse(query),
    rootValue: data,
    variableValues: variables,
    // An answer has a field under its alias, which `path.key` names.
    fieldResolver: (source, _arguments, _context, info) => source[info.path.key],
    typeResolver: (source) => source.__typename,
  });
  if (again.errors) return again.errors.map(({ message, path }) => `${path?.join('.')}: ${message}`).join('; ');
  const [expected, actual] = [JSON.stringify(again.data), JSON.stringify(data)];
  return expected === actual ? undefined : `declared: ${expected}; answered: ${actual}`;
}

/** Adds to `into` the name `Type.field` of each field of the document for which the data has a value. */
export function addAnsweredFields({ query }: Generated, data: Json, into: Set<string>): void {
  const document: DocumentNode = parse(query);
  const info = new TypeInfo(schema);
  const values: Json[] = [[data]];
  visit(
    document,
    visitWithTypeInfo(info, {
      enter(node) {
        if (node.kind !== Kind.FIELD) return undefined;
        const name = (node.alias ?? node.name).value;
        const found = values.at(-1).flatMap((parent: Json) => {
          const value = parent?.[name];
          return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
        });
        values.push(found);
        const parent = info.getParentType();
        if (found.length > 0 && parent && !node.name.value.startsWith('__')) into.add(`${parent.name}.${node.name.value}`);
        return undefined;
      },
      leave(node) {
        if (node.kind === Kind.FIELD) values.pop();
      },
    }),
  );
}
