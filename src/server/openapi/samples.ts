import type { Endpoint } from '../operation.js';
import type { Operation, Place } from './document.js';

/** An operation without its examples. */
export type Documented = Omit<Operation, 'x-codeSamples'>;

/** Examples of an operation: curl, and the nearest call of the client and nearest document of GraphQL, where there is one. */
export function samplesOf(
  place: Place,
  { method, path, samples: { client, graphql } = {} }: Endpoint,
  operation: Documented,
): Operation['x-codeSamples'] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(place, method, path, operation) },
    ...(client ? [{ lang: 'TypeScript', label: 'Client', source: program(place, operation, client) }] : []),
    ...(graphql ? [{ lang: 'GraphQL', label: 'GraphQL', source: graphql }] : []),
  ];
}

/** The example of an operation as one curl command. */
function curl({ url }: Place, method: string, path: string, { parameters = [], requestBody, security }: Documented) {
  const given = (where: string) => parameters.filter((field) => field.in === where && field.example !== undefined);
  const filled = given('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = String(new URLSearchParams(Object.fromEntries(given('query').map((f) => [f.name, String(f.example)]))));
  const body = requestBody?.content['application/json'].example;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}${filled}${query === '' ? '' : `?${query}`}'`,
    ...(security.some((scheme) => 'apiKey' in scheme) ? [`-H "x-api-key: $KEY"`] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

/** A program that prints the result of a call of the client. */
function program({ url }: Place, { security }: Documented, call: string): string {
  const options = `baseUrl: '${url}'${security.length === 1 ? ", apiKey: 'your key'" : ''}`;
  return `import { Curvet } from 'curvet-client';
const curvet = new Curvet({ ${options} });
console.log(await ${call});`;
}
