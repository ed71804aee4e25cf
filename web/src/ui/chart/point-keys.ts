const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 10,
  PageUp: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Index of the point to which a key leads. undefined if the key leads to none. If no point is chosen, any arrow key chooses the
 * last.
 */
export function pointAfter(key: string, chosen: number | undefined, length: number): number | undefined {
  const step = STEPS[key];
  if (!step || length === 0) return undefined;
  const last = length - 1;
  if (chosen === undefined && key.startsWith('Arrow')) return last;
  return Math.min(last, Math.max(0, step(Math.min(chosen ?? last, last), last)));
}
