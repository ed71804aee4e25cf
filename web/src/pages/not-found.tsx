import { texts } from '../texts.js';

/** The page for a path that no route has. */
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
