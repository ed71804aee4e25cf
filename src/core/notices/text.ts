import { AppError } from '../../errors.js';

const THESIS_MAX = 140;

const TAG = /<[/!]?[A-Za-z][^>]*>/y;

/**
 * Removes every tag, again and again until none is left. After the first round a tag can begin only where a removal
 * joined what stood apart, so only there is looked again: nested tags do not cost a search of the whole text each.
 */
function stripTags(text: string): string {
  let rest = text;
  let starts = Array.from(text.matchAll(/</g), ({ index }) => index);
  while (starts.length > 0) {
    const lastEnd = rest.lastIndexOf('>');
    const joints: number[] = [];
    let kept = '';
    let from = 0;
    for (const start of starts) {
      // Behind the last end nothing can match, and each try would read all that follows.
      if (start < from || start > lastEnd) continue;
      TAG.lastIndex = start;
      if (!TAG.test(rest)) continue;
      kept += rest.slice(from, start);
      from = TAG.lastIndex;
      // Of a new tag, `<` or `</` can stand before the joint.
      joints.push(kept.length - 2, kept.length - 1);
    }
    rest = kept + rest.slice(from);
    starts = joints;
  }
  return rest;
}

/** Text without tags and outer white space. `a < b` stays. */
export function cleanText(raw: string): string {
  return stripTags(raw).trim();
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
  checkLength('thesis', text, THESIS_MAX);
  return text === '' ? null : text;
}
