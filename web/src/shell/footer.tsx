import { texts } from '../texts.js';
import { ThemeSwitch } from './theme-switch.js';

const links = [
  ['/developers', texts.footer.reference],
  ['/graphql', texts.footer.graphql],
  ['/skill.md', texts.footer.skill],
  ['/openapi.json', texts.footer.openapi],
  ['/settings', texts.footer.settings],
  ['/licenses.txt', texts.footer.licenses],
] as const;

export function Footer() {
  return (
    <footer class="bottom">
      <div class="inner">
        <p class="muted">{texts.footer.about}</p>
        <ul>
          {links.map(([href, text]) => (
            <li key={href}>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
        <ThemeSwitch />
      </div>
    </footer>
  );
}
