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

/**
 * Loads the script of a page, in two attempts. Throws RequestError if the service does not answer, and the error of the script if
 * the service answers but the script does not run.
 */
async function loadPage({ load }: Route, hasShownPage: boolean): Promise<ComponentType<PageProps>> {
  const attempt = async () => (await loadScript(load)).default;
  try {
    return await attempt();
  } catch {
    await followVersion(hasShownPage);
  }
  try {
    // The second attempt succeeds if the service was unavailable only for a moment.
    return await attempt();
  } catch (error) {
    await followVersion(hasShownPage);
    throw error;
  }
}

/**
 * Loads the document again if the service has another version now, because the scripts of this version no longer exist then.
 * Throws RequestError if the service does not answer.
 */
async function followVersion(hasShownPage: boolean): Promise<void> {
  const main = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if ((await readDocument()).includes(main)) return;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // During an update, replicas have different versions, so each loaded document could meet another version. A reloaded document
  // that has shown no page yet is therefore not reloaded again.
  if (navigation?.type === 'reload' && !hasShownPage) return;
  window.location.reload();
  // The browser leaves this document, so the caller must not go on.
  await new Promise(() => {});
}

/** Time in milliseconds without an answer after which the service counts as unavailable. */
const TIMEOUT_MS = 15_000;

/** Reads the document of this address as the service has it now. Throws RequestError if the service does not answer. */
async function readDocument(): Promise<string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(window.location.href, { headers: { accept: 'text/html' }, cache: 'no-store', signal });
    // The document for an agent that does not exist has the status 404, but it is a document of the dashboard, too.
    if (response.ok || response.status === 404) return await response.text();
  } catch {
    // No answer arrived, which the error below reports.
  }
  throw new RequestError(noAnswer(navigator.onLine, Date.now()));
}
