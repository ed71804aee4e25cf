/** The text that this browser stores under a key. Empty if there is none, or if the browser blocks storage. */
export function stored(key: string): string {
  try {
    return window.localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Stores a text. An empty text removes the key. Where the browser blocks storage, nothing is stored. */
export function store(key: string, text: string): void {
  try {
    if (text === '') window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, text);
  } catch {
    // The page goes on without storage.
  }
}

/** The texts that this browser stores under keys that begin so. Empty if the browser blocks storage. */
export function storedBelow(prefix: string): Map<string, string> {
  try {
    return new Map(Object.entries({ ...window.localStorage }).filter(([key]) => key.startsWith(prefix)));
  } catch {
    return new Map();
  }
}

/** Calls `changed` when another tab has stored another text under one of the keys. */
export function onStored(keys: readonly string[], changed: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === null || keys.includes(key)) changed();
  });
}
