import type { ComponentType } from 'preact';
import { pages } from './pages.js';
import type { PageProps, Route } from './router.js';

type PageModule = { readonly default: ComponentType<PageProps> };

/** The functions that load the scripts of the pages. Each page has a script file, which is loaded when the page opens. */
const scripts = import.meta.glob<PageModule>('./pages/*/page.tsx');

export const routes: readonly Route[] = pages.map(({ path, folder, title }) => {
  const load = scripts[`./pages/${folder}/page.tsx`];
  if (!load) throw new Error(`no page in ${folder}`);
  return { path, title, load };
});
