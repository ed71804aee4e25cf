/** Marks style sheets that fail to load, so that `loadScript` loads them again. */
export function noteFailedStyles(): void {
  const note = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.dataset.failed = 'true';
  };
  document.addEventListener('error', note, { capture: true });
}

/**
 * Loads a script and its styles, even after a failed attempt. Vite's import loads each style sheet only once, so without this, a
 * second attempt would show the part without its styles.
 */
export async function loadScript<Part>(read: () => Promise<Part>): Promise<Part> {
  const failed = [...document.querySelectorAll<HTMLLinkElement>('link[data-failed]')];
  await Promise.all(failed.map(loadAgain));
  return read();
}

function loadAgain(link: HTMLLinkElement): Promise<unknown> {
  const next = link.cloneNode() as HTMLLinkElement;
  delete next.dataset.failed;
  const loaded = new Promise((resolve, reject) => {
    next.addEventListener('load', resolve);
    next.addEventListener('error', () => reject(new Error(`no style sheet ${next.href}`)));
  });
  link.replaceWith(next);
  return loaded;
}
