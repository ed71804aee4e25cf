import { useApp } from '../../app-context.js';

/**
 * A choice that stands in the address, so that Back, a reload and a shared link preserve it. The address leaves out the choice
 * `first`, which also applies if the address names a choice that does not exist.
 */
export function useChoice<Key extends string>(name: string, options: Readonly<Record<Key, unknown>>, first: Key) {
  const { router } = useApp();
  const given = router.location.value.url.searchParams.get(name) ?? '';
  const chosen = Object.hasOwn(options, given) ? (given as Key) : first;
  const choose = (key: Key) => {
    const url = new URL(window.location.href);
    if (key === first) url.searchParams.delete(name);
    else url.searchParams.set(name, key);
    router.open(url.href, { replace: true });
  };
  return [chosen, choose] as const;
}
