import type { Component } from './components.js';

/**
 * Licences that allow use in a product under the MIT licence without conditions on its code. MPL-2.0 has conditions on its
 * own files only, which are used unchanged. OFL-1.1 is for fonts, which may come with any software.
 */
const ALLOWED = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'PostgreSQL'],
  ...['BlueOak-1.0.0', 'CC0-1.0', 'Unlicense', 'Zlib', 'Python-2.0'],
  ...['MPL-2.0', 'OFL-1.1'],
]);

/** The packages whose licence is not on the list, or that declare none. */
export const refusedLicences = (components: readonly Component[]): string[] =>
  components
    .map((component) => ({ component, licence: licenceOf(component) }))
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ component: { name, version }, licence }) => `${name} ${version}: ${licence || 'no licence'}`);

const licenceOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '').join(' AND ');

/** Evaluates an SPDX expression: with OR one part must be allowed, with AND each. */
export function isAllowed(expression: string): boolean {
  const text = expression.trim();
  const parts = (separator: string) => splitOutside(text, separator);
  if (parts(' OR ').length > 1) return parts(' OR ').some(isAllowed);
  if (parts(' AND ').length > 1) return parts(' AND ').every(isAllowed);
  if (text.startsWith('(') && text.endsWith(')')) return isAllowed(text.slice(1, -1));
  return ALLOWED.has(text);
}

/** Splits at a separator that is not inside of parentheses. */
function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')') depth--;
    if (depth === 0 && text.startsWith(separator, i)) {
      parts.unshift('');
      i += separator.length - 1;
    } else parts[0] += text[i] as string;
  }
  return parts;
}
