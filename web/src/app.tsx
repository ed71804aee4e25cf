import { Component, type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from './app-context.js';
import { NotFound } from './pages/not-found.js';
import { Footer } from './shell/footer.js';
import { Header } from './shell/header.js';
import { usePage } from './shell/use-page.js';
import { texts } from './texts.js';
import { usePageTitle } from './ui/page-head.js';
import { ProblemView } from './ui/problem-view.js';

/** The whole dashboard: header, footer, and between them the page that the address names. */
export function App() {
  return (
    <>
      <a class="skip" href="#main">
        {texts.shell.skip}
      </a>
      <a class="skip to-trade" href="#amount">
        {texts.shell.skipToTrade}
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Footer />
    </>
  );
}

/** Selector of the tags in the head of the document that describe the page with which the document was loaded. */
const FIRST_PAGE = 'link[rel=canonical], meta[name=description], meta[property^="og:"], meta[name^="twitter:"]';

/**
 * The page of the present location. While its script loads, the place of the page is blank. Before the first page, a tall
 * placeholder keeps the footer out of view.
 */
function CurrentPage() {
  const { router, announce } = useApp();
  const { route, params, url } = router.location.value;
  const { loaded, failed, retry } = usePage(route);
  const isFirst = useRef(true);
  usePageTitle(route ? route.title : texts.notFound.title);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // These tags describe the first page only, so they are removed when another page opens.
    for (const tag of document.head.querySelectorAll(FIRST_PAGE)) tag.remove();
    // Users of screen readers continue at the start of the new page, and hear its title.
    document.getElementById('main')?.focus({ preventScroll: true });
    announce(route?.title ?? texts.notFound.title);
    router.settle();
  }, [url.pathname]);
  if (route === undefined) return <NotFound />;
  if (failed) return failed.problem ? <ProblemView problem={failed.problem} retry={retry} isPage /> : <FaultView />;
  if (loaded?.route !== route) return loaded ? null : <div class="page-wait" aria-busy="true" />;
  const Page = loaded.page;
  return (
    <Failsafe key={url.pathname}>
      <Page params={params} />
    </Failsafe>
  );
}

/** Shows a message in place of a page whose code throws an error. Other pages still work. */
class Failsafe extends Component<{ readonly children: ComponentChildren }, { readonly failed: boolean }> {
  override state = { failed: false };
  static override getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return this.state.failed ? <FaultView /> : this.props.children;
  }
}

function FaultView() {
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
