// Finds similar names, for searches with a typing error. An edit is a wrong, missing, additional or swapped letter. PostgreSQL
// counts edits only with an extension, so SQL finds candidates by pieces of the text, and this file counts their edits.

/**
 * Number of edits by which a name may differ from a text of this length. Short texts allow few or none, because almost all short
 * names resemble each other.
 */
export const editsFor = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2);

/**
 * Pieces of a text. Every name with at most `edits` edits contains a piece, and every name with fewer edits contains two. The text
 * is cut into `edits` + 1 parts. An edit changes only one part, so one part stays intact, unless the edit swaps the letters at a
 * cut. Therefore adjacent parts together are also a piece, with the letters at their inner cuts swapped.
 */
export function piecesOf(text: string, edits: number): string[] {
  const letters = [...text];
  const cuts = Array.from({ length: edits + 2 }, (_, i) => Math.round((i * letters.length) / (edits + 1)));
  const pieces: string[] = [];
  for (const [i, start] of cuts.entries()) {
    const swapped = [...letters];
    for (const end of cuts.slice(i + 1)) {
      pieces.push(swapped.slice(start, end).join(''));
      swapped.splice(end - 1, 2, ...swapped.slice(end - 1, end + 1).reverse());
    }
  }
  return pieces;
}

/**
 * Number of edits between two texts of at most 255 characters: the Damerau-Levenshtein distance, as the optimal string alignment.
 * One table of bytes makes it fast: a search compares a thousand names while other requests wait.
 */
export function editsBetween(a: string, b: string): number {
  const width = b.length + 1;
  const table = new Uint8Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j < width; j++) {
      let edits = i + j;
      if (i > 0 && j > 0) {
        const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
        edits = Math.min(at(i - 1, j - 1) + (isSame ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1);
        // Before the start of a text, charCodeAt returns NaN, which equals nothing.
        const isSwapped = a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
        if (isSwapped) edits = Math.min(edits, at(i - 2, j - 2) + 1);
      }
      table[i * width + j] = edits;
    }
  }
  return at(a.length, b.length);
}
