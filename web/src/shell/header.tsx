import { useApp } from '../app-context.js';
import { pages } from '../pages.js';
import { texts } from '../texts.js';
import { Search } from './search.js';
import { Status } from './status.js';
import { WalletButton } from './wallet-button.js';

const navigation = pages.filter((page) => page.navigation !== undefined);

/** The header, the same on every page: name, navigation, search, state of the connection, and wallet. */
export function Header() {
  const { router } = useApp();
  const { pathname } = router.location.value.url;
  const isHere = (path: string) => (path === '/' ? pathname === '/' : `${pathname}/`.startsWith(`${path}/`));
  return (
    <header class="top">
      <div class="inner">
        <a class="brand" href="/" aria-label={texts.shell.home}>
          <Mark />
          <span>{texts.name}</span>
        </a>
        <nav aria-label={texts.shell.navigation}>
          <ul>
            {navigation.map(({ path, navigation: text }) => (
              <li key={path}>
                <a href={path} aria-current={isHere(path) ? 'page' : undefined}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Search />
        <Status />
        <WalletButton />
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-plate" width="32" height="32" rx="8" />
      <path class="mark-curve" d="M7 24C17 24 23 18 25 7" />
      <circle class="mark-dot" cx="17.6" cy="20" r="3.4" />
    </svg>
  );
}
