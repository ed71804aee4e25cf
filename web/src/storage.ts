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
    // The browser blocks storage, or the storage is full. The page works without it.
  }
}

/** The stored texts whose keys begin with `prefix`, by key. Empty if the browser blocks storage. */
export function storedBelow(prefix: string): Map<string, string> {
  try {
    return new Map(Object.entries({ ...window.localStorage }).filter(([key]) => key.startsWith(prefix)));
  } catch {
    return new Map();
  }
}

/** Calls `changed` when another tab has changed the text of one of the keys, or has cleared the storage. */
export function onStored(keys: readonly string[], changed: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === null || keys.includes(key)) changed();
  });
}
