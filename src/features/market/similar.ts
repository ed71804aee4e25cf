// Similar names, for searches with a typing error. One edit is a wrong, missing, additional or swapped letter. PostgreSQL
// counts edits only with an extension, so SQL finds candidates by pieces of the text, and this file counts their edits.

/** Number of edits by which a name may differ from a text of this length. Almost all short names resemble each other. */
export const editsFor = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2);

/**
 * Pieces of a text. Every name with at most `edits` edits contains one of them, and every name with fewer edits contains two.
 * The text is cut into one part more than edits, so that one part stays intact: an edit changes one part only, unless it swaps
 * the letters at a cut. So each row of adjacent parts is a piece, too, with the letters at its inner cuts swapped.
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

/** Number of edits between two texts: the Damerau-Levenshtein distance, as the optimal string alignment. */
export function editsBetween(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (const [i, letter] of from.entries()) {
    const row = [i + 1];
    for (const [j, other] of to.entries()) {
      const [replaced = 0, missing = 0, additional = 0] = [last[j], last[j + 1], row[j]];
      let edits = Math.min(replaced + (letter === other ? 0 : 1), missing + 1, additional + 1);
      const isSwapped = i > 0 && j > 0 && letter === to[j - 1] && other === from[i - 1];
      if (isSwapped) edits = Math.min(edits, (before[j - 1] ?? 0) + 1);
      row.push(edits);
    }
    [before, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
