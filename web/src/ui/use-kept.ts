import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.js';

/**
 * A state that Back shows as the reader left it, such as an extended list. `first` is the state of a new visit, and is
 * always the same value. Without a name, the state is not kept.
 */
export function useKept<Value>(name: string | undefined, first: Value) {
  const { router } = useApp();
  const [kept] = useState(() => router.kept());
  const [value, setValue] = useState(() => (name && kept.has(name) ? (kept.get(name) as Value) : first));
  useEffect(() => {
    if (name && value !== first) kept.set(name, value);
  }, [name, value]);
  useEffect(
    () => () => {
      // A part that the page removes, such as a tab, starts again. If the page itself is left, Back returns to the visit.
      if (name && router.kept() === kept) kept.delete(name);
    },
    [],
  );
  return [value, setValue] as const;
}
