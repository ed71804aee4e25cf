/**
 * A value that is loaded at most once in a while, by one caller at a time however many wait and however long the load
 * takes. A load that fails is not kept: the next caller tries again.
 */
export function cached<T>(milliseconds: number, now: () => number, load: () => Promise<T>): () => Promise<T> {
  let value: { readonly promise: Promise<T>; readonly until: number; pending: boolean } | undefined;
  return () => {
    if (value && (value.pending || now() < value.until)) return value.promise;
    const promise = load();
    const entry = { promise, until: now() + milliseconds, pending: true };
    value = entry;
    promise.then(
      () => {
        entry.pending = false;
      },
      () => {
        if (value === entry) value = undefined;
      },
    );
    return promise;
  };
}
