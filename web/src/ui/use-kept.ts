import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.js';

/**
 * Like `useState`, but Back restores the state as the reader left it, such as an extended list. `first` is the state of a new
 * visit, and must be the same value in each render. Without a name, the state is not stored.
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
      // If the page removes only this part, such as a tab, the part starts with `first` the next time. If the reader leaves the
      // page, the state stays stored for Back.
      if (name && router.kept() === kept) kept.delete(name);
    },
    [],
  );
  return [value, setValue] as const;
}
