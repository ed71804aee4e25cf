import { AppError } from '../../errors.js';

/** Longest thesis, in code points. */
export const MAX_THESIS_LENGTH = 140;

/**
 * Removes every tag, again and again until none is left. After the first round a tag can begin only where a removal
 * joined what stood apart, so only there is looked again: nested tags do not cost a search of the whole text each.
 */
function stripTags(text: string): string {
  // A tag, or one without an end, which a browser reads to the end of the text.
  const tag = /<[/!?]?[A-Za-z][^>]*(?:>|$)/y;
  let rest = text;
  let starts = Array.from(text.matchAll(/</g), ({ index }) => index);
  while (starts.length > 0) {
    const joints: number[] = [];
    let kept = '';
    let from = 0;
    for (const start of starts) {
      if (start < from) continue;
      tag.lastIndex = start;
      if (!tag.test(rest)) continue;
      kept += rest.slice(from, start);
      from = tag.lastIndex;
      // Of a new tag, `<` or `</` can stand before the joint.
      joints.push(kept.length - 2, kept.length - 1);
    }
    rest = kept + rest.slice(from);
    starts = joints;
  }
  return rest;
}

/**
 * Control characters, and what is not displayed (zero-width, bidirectional, fillers, tags): it hides what a text says. An
 * emoji keeps the joiner between two pictures and the selector of its form, and a line feed stays.
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
 * Text without tags, invisible characters and outer white space. `a < b` stays. A tab becomes a space, so that words stay
 * apart. Invisible characters go first, since one could hide a tag.
 */
export function cleanText(raw: string): string {
  return stripTags(raw.replace(/\t/g, ' ').replace(INVISIBLE, '')).trim();
}

const IGNORED = /(?!\s)\p{Cc}|\p{Default_Ignorable_Code_Point}/gu;

/** What two texts have in common that look the same: their form for comparison, which nobody sees. */
export function foldText(text: string): string {
  const visible = text.normalize('NFKC').replace(IGNORED, '').replace(/\s+/g, ' ').trim();
  // Upper case first: it makes one of letters such as ß and ss, or both forms of sigma.
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}

/** scheme://, www. or label.tld/ - each found from one character, so that a long text is read once. */
const URLS = [/[a-z0-9+.-]:\/\//i, /\bwww\./i, /[\p{L}\p{N}]\.(?:xn--[a-z0-9-]+|\p{L}{2,})(?::\d+)?\//iu];

export function hasUrl(text: string): boolean {
  return URLS.some((url) => url.test(text));
}

/** Lengths are in code points: an emoji is one. */
export function checkLength(field: string, text: string, max: number): void {
  if ([...text].length > max) throw new AppError('FIELD_TOO_LONG', { field, max });
}

/** The thesis to store; null if nothing is left of it. */
export function checkThesis(raw: string): string | null {
  const text = cleanText(raw);
  if (hasUrl(text)) throw new AppError('THESIS_HAS_URL');
  checkLength('thesis', text, MAX_THESIS_LENGTH);
  return text === '' ? null : text;
}
