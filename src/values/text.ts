import { AppError } from '../errors/errors.js';

/**
 * Removes HTML tags until none is left. After the first pass, a new tag can start only where a removal joined two parts, so later
 * passes check only these positions. Nested tags therefore do not cause a scan of the whole text for each tag.
 */
function stripTags(text: string): string {
  // A complete tag, or an unclosed one up to the end of the text, as browsers parse it.
  const tag = /<[/!?]?[A-Za-z][^>]*(?:>|$)/y;
  let rest = text;
  let starts = Array.from(text.matchAll(/</g), ({ index }) => index);
  while (starts.length > 0) {
    const joints: number[] = [];
    let result = '';
    let from = 0;
    for (const start of starts) {
      if (start < from) continue;
      tag.lastIndex = start;
      if (!tag.test(rest)) continue;
      result += rest.slice(from, start);
      from = tag.lastIndex;
      // A new tag may begin one or two characters before the point where a removal joined two parts, with `<` or `</`.
      joints.push(result.length - 2, result.length - 1);
    }
    rest = result + rest.slice(from);
    starts = joints;
  }
  return rest;
}

/**
 * Control characters and characters without a glyph (zero-width, bidirectional, fillers, tags), which can hide text. Allowed
 * are line feeds, and in emoji the zero-width joiner and variation selectors.
 */
const INVISIBLE = new RegExp(
  [
    '(?!\\n)',
    '(?!(?<=\\p{Extended_Pictographic}[\\uFE0F\\p{Emoji_Modifier}]?)\\u200D\\p{Extended_Pictographic})',
    '(?!(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F])(?!(?<=[0-9#*])\\uFE0F\\u20E3)',
    '[\\p{Cc}\\p{Default_Ignorable_Code_Point}]',
  ].join(''),
  'gu',
);

/**
 * Removes tags, invisible characters and outer white space. `a < b` stays. Tabs become spaces, which keeps words apart.
 * Invisible characters are removed first, because an invisible character could hide a tag.
 */
export function cleanText(raw: string): string {
  return stripTags(raw.replace(/\t/g, ' ').replace(INVISIBLE, '')).trim();
}

/** Characters that do not change how a text looks: control characters other than white space, and characters without a glyph. */
const IGNORED = /(?!\s)\p{Cc}|\p{Default_Ignorable_Code_Point}/gu;

/** Form for comparison, not for display. It removes differences in case, white space, invisible characters and Unicode form. */
export function foldText(text: string): string {
  const visible = text.normalize('NFKC').replace(IGNORED, '').replace(/\s+/g, ' ').trim();
  // toUpperCase first: it unifies ß and ss, and both forms of sigma.
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Patterns of URLs: scheme://, www. or label.tld/. Each pattern begins with a single character and not with a repetition, so that
 * a long text is scanned only once.
 */
const URLS = [/[a-z0-9+.-]:\/\//i, /\bwww\./i, /[\p{L}\p{N}]\.(?:xn--[a-z0-9-]+|\p{L}{2,})(?::\d+)?\//iu];

export function hasUrl(text: string): boolean {
  return URLS.some((url) => url.test(text));
}

/** Checks the length in code points, so that a simple emoji counts as one character. */
export function checkLength(field: string, text: string, max: number): void {
  if ([...text].length > max) throw new AppError('FIELD_TOO_LONG', { field, max });
}
