import { texts } from '../texts.js';

/** No page has this address. */
export function NotFound() {
  return (
    <div class="problem">
      <h1>{texts.notFound.title}</h1>
      <p class="muted">{texts.notFound.hint}</p>
      <a class="button" href="/">
        {texts.notFound.home}
      </a>
    </div>
  );
}
