import DataLoader from 'dataloader';
import type { PageRequest } from './connection.js';

// Each relation is read in one statement for all parents that need it with the same arguments.

/** Loader of one value per key. `missing` is the value of keys that `read` does not return. */
export function valueByKey<K extends string | number, V, Missing>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<string, V>>,
  missing: Missing,
): DataLoader<K, V | Missing> {
  return new DataLoader(async (keys) => {
    const found = await read(keys);
    return keys.map((key) => found.get(String(key)) ?? missing);
  });
}

/** Loader of one value per key and arguments. Keys with the same arguments are read together. */
export function valueByArguments<Args, V>(
  read: (keys: readonly string[], args: Args) => Promise<ReadonlyMap<string, V>>,
  missing: V,
) {
  const loaders = new Map<string, DataLoader<string, V>>();
  return {
    load(key: string, args: Args): Promise<V> {
      const name = JSON.stringify(args);
      const loader = loaders.get(name) ?? valueByKey((keys: readonly string[]) => read(keys, args), missing);
      loaders.set(name, loader);
      return loader.load(key);
    },
  };
}

/** Loader of a page of rows per key and arguments. */
export const rowsByArguments = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
) => valueByArguments<PageRequest & More, readonly R[]>(read, []);
