import { useEffect } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { texts } from '../texts.js';

/** Sets the title of the document to `title` and the name of the dashboard. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === texts.name ? title : `${title} · ${texts.name}`;
  }, [title]);
}

/**
 * Scrolls to where the reader was, once the content of the page is displayed. A page calls it with true when its first data is
 * there, because a page without content is too short to scroll.
 */
export function useSettled(isReady: boolean): void {
  const { router } = useApp();
  useEffect(() => {
    if (isReady) router.settle(true);
  }, [isReady, router]);
}
