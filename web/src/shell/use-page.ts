import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { noAnswer, type Problem, problemFrom, RequestError } from '../graphql/problem.js';
import type { PageProps, Route } from '../router.js';
import { loadScript } from '../ui/load-script.js';
import { useRetry } from '../ui/use-retry.js';

/** A page whose script is loaded. */
type LoadedPage = { readonly route: Route; readonly page: ComponentType<PageProps> };

/** Why the page of a route is not shown. Without `problem`, the service answers, but the script does not run. */
type Failed = { readonly route: Route; readonly problem: Problem | undefined };

/** Loads the script of a page. It tries again by itself until the service answers. */
export function usePage(route: Route | undefined) {
  const { connection } = useApp();
  const [loaded, setLoaded] = useState<LoadedPage | undefined>(undefined);
  const [failed, setFailed] = useState<Failed | undefined>(undefined);
  const [round, setRound] = useState(0);
  const failures = useRef(0);
  const pages = useRef(new Map<Route, ComponentType<PageProps>>());
  useEffect(() => {
    let isCurrent = true;
    if (failed?.route !== route) failures.current = 0;
    const show = (page: ComponentType<PageProps>) => {
      if (!isCurrent || !route) return;
      if (failed) connection.report(undefined);
      pages.current.set(route, page);
      setFailed(undefined);
      setLoaded({ route, page });
    };
    const fail = (error: unknown) => {
      if (!isCurrent || !route) return;
      const problem = error instanceof RequestError ? problemFrom(error, failures.current++) : undefined;
      connection.report(problem);
      setFailed({ route, problem });
    };
    const before = route && pages.current.get(route);
    if (before) show(before);
    else if (route) loadPage(route, loaded !== undefined).then(show, fail);
    return () => {
      isCurrent = false;
    };
  }, [route, round]);
  const retry = () => setRound((before) => before + 1);
  const present = failed && failed.route === route ? failed : undefined;
  useRetry(present?.problem, retry);
  return { loaded, failed: present, retry };
}

/** Throws RequestError if the service does not answer, and the error of the script if the script does not run. */
async function loadPage({ load }: Route, hasShownPage: boolean): Promise<ComponentType<PageProps>> {
  const attempt = async () => (await loadScript(load)).default;
  try {
    return await attempt();
  } catch {
    await followVersion(hasShownPage);
  }
  try {
    // The service may have been unavailable for a moment only.
    return await attempt();
  } catch (error) {
    await followVersion(hasShownPage);
    throw error;
  }
}

/**
 * Loads the document again if the service has another version now, because the files of this version are gone then. Throws
 * RequestError if the service does not answer.
 */
async function followVersion(hasShownPage: boolean): Promise<void> {
  const main = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if ((await readDocument()).includes(main)) return;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Replicas may have different versions. A document that was loaded again and has shown no page yet would load for ever.
  if (navigation?.type === 'reload' && !hasShownPage) return;
  window.location.reload();
  await new Promise(() => {});
}

/** Time in milliseconds after which the service counts as unavailable. */
const TIMEOUT_MS = 15_000;

/** The document of this address, as the service has it now. */
async function readDocument(): Promise<string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(window.location.href, { headers: { accept: 'text/html' }, cache: 'no-store', signal });
    // The document of an agent that does not exist has the status 404, too.
    if (response.ok || response.status === 404) return await response.text();
  } catch {
    // No answer arrived.
  }
  throw new RequestError(noAnswer(navigator.onLine, Date.now()));
}
