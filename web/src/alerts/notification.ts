import { plainText } from '../format/sentence.js';
import { type News, textOfNews } from './watchlist.js';

/** Whether this browser shows notifications of this service: `default` means that the user was not asked. */
export const permission = (): NotificationPermission | 'missing' =>
  'Notification' in window && window.isSecureContext ? Notification.permission : 'missing';

/** Shows a notification of the browser if the user permits it. A click on it leads to the tab, and calls `open`. */
export function notify(news: News, open: () => void): void {
  if (permission() !== 'granted') return;
  try {
    const shown = new Notification(news.name, { body: plainText(textOfNews(news)), tag: news.id });
    shown.onclick = () => {
      window.focus();
      open();
      shown.close();
    };
  } catch {
    // Browsers of phones let only service workers show notifications. The tabs of the service tell it, too.
  }
}
