import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.js';
import { NotFound } from './pages/not-found.js';
import type { PageProps, Route } from './router.js';
import { Footer } from './shell/footer.js';
import { Header } from './shell/header.js';
import { texts } from './texts.js';
import { usePageTitle } from './ui/page-head.js';

/** The shell and the present page. */
export function App() {
  return (
    <>
      <a class="skip" href="#main">
        {texts.shell.skip}
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Failsafe>
          <CurrentPage />
        </Failsafe>
      </main>
      <Footer />
    </>
  );
}

/** Tags of the document that describe its first page. */
const FIRST_PAGE = 'link[rel=canonical], meta[name=description], meta[property^="og:"], meta[name^="twitter:"]';

/** The page of the present location. The previous page stays until the script of the new one is loaded. */
function CurrentPage() {
  const { router, announce } = useApp();
  const { route, params, url } = router.location.value;
  const loaded = usePage(route);
  const isFirst = useRef(true);
  usePageTitle(route ? route.title : texts.notFound.title);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // These tags do not hold for another page.
    for (const tag of document.head.querySelectorAll(FIRST_PAGE)) tag.remove();
    // Users of screen readers continue at the start of the new page, and hear its title.
    document.getElementById('main')?.focus({ preventScroll: true });
    announce(route?.title ?? texts.notFound.title);
    router.settle();
  }, [url.pathname]);
  if (route === undefined) return <NotFound />;
  if (loaded?.route !== route) return loaded ? null : <div class="page-wait" aria-busy="true" />;
  const Page = loaded.page;
  return <Page key={url.pathname} params={params} />;
}

type LoadedPage = { readonly route: Route; readonly page: ComponentType<PageProps> };

function usePage(route: Route | undefined): LoadedPage | undefined {
  const [loaded, setLoaded] = useState<LoadedPage | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(undefined);
  useEffect(() => {
    let isCurrent = true;
    setFailure(undefined);
    route?.load().then(
      ({ default: page }) => isCurrent && setLoaded({ route, page }),
      (error: unknown) => isCurrent && setFailure(error ?? true),
    );
    return () => {
      isCurrent = false;
    };
  }, [route]);
  if (failure !== undefined) throw failure;
  return loaded;
}

/** Shows a message and a reload button if a page fails, because its script did not load or has a fault. */
class Failsafe extends Component<{ readonly children: ComponentChildren }, { readonly failed: boolean }> {
  override state = { failed: false };
  static override getDerivedStateFromError = () => ({ failed: true });
  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div class="problem" role="alert">
        <h1>{texts.failed.title}</h1>
        <p class="muted">{texts.failed.hint}</p>
        <button type="button" class="button" onClick={() => window.location.reload()}>
          {texts.failed.reload}
        </button>
      </div>
    );
  }
}
