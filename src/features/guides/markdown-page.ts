import type { Document, Place } from '../../server/openapi/document.js';
import { failuresOf, operationsByTag, type Placed, requestFields, typeOf } from '../../server/openapi/reference.js';
import type { Chapter } from './guides.js';
import { plain, table } from './tables.js';

/**
 * `/docs`, for programs: the chapters, then every operation. OpenAPI has the fields of the answers. A heading names the
 * fragment that leads to it, because errors and guides point to `/docs#signed`.
 */
export function docsMarkdown(document: Document, place: Place, chapters: readonly Chapter[]): string {
  const { url, chainId, contract, rpcUrl } = place;
  const facts = [`Service \`${url}\``, `chain ID ${chainId}`, contract && `contract \`${contract}\``];
  const parts = [
    '# Curvet documentation',
    `${document.info.summary} ${url}/openapi.json has every field.`,
    `${[...facts, rpcUrl && `RPC \`${rpcUrl}\``].filter(Boolean).join(', ')}.`,
    ...chapters.map(({ id, title, text }) => `## ${title} {#${id}}\n${text.trimEnd()}`),
    ...operationsByTag(document).map(({ name, description, operations }) =>
      [`## ${name}`, `${description}.`, ...operations.map((placed) => operationPart(document, placed))].join('\n\n'),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function operationPart(document: Document, placed: Placed): string {
  const { method, path, operation } = placed;
  const { operationId, summary, description, security, deprecated } = operation;
  const fields = requestFields(document, operation).map((field) => [
    `\`${field.name}\``,
    `${field.in}${field.required ? ', required' : ''}`,
    plain(typeOf(document, field.schema)),
    plain(field.description ?? ''),
  ]);
  const key = security.length === 0 ? '' : security.length === 1 ? 'Needs a key.' : 'Takes a key.';
  return [
    `### ${method} ${path}${deprecated ? ' (retired)' : ''} {#${operationId}}`,
    `${summary}. ${description} ${key}`.trimEnd(),
    ...(fields.length > 0 ? [table(['Field', 'In', 'Type', 'Meaning'], fields)] : []),
    `\`\`\`sh\n${operation['x-codeSamples'][0].source}\n\`\`\``,
    `Failures:\n${failuresOf(document, operation)
      .map(({ status, errors }) => `- ${status} \`${errors}\``)
      .join('\n')}`,
  ].join('\n\n');
}
