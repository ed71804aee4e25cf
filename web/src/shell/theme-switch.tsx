import { useApp } from '../app-context.js';
import { texts } from '../texts.js';
import type { Choice } from './theme.js';

const NEXT: Readonly<Record<Choice, Choice>> = { system: 'light', light: 'dark', dark: 'system' };

/** A button that switches from the system's theme to light, then to dark, and back. */
export function ThemeSwitch() {
  const { theme } = useApp();
  const choice = theme.choice.value;
  const text = texts.shell.theme[choice];
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={text}
      data-tip={text}
      data-tip-end=""
      onClick={() => {
        theme.choice.value = NEXT[choice];
      }}
    >
      <svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        {choice === 'system' && <path d="M10 2.5a7.5 7.5 0 1 0 0 15zM10 2.5a7.5 7.5 0 0 1 0 15" class="half" />}
        {choice === 'light' && (
          <path d="M10 6.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4" />
        )}
        {choice === 'dark' && <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z" />}
      </svg>
    </button>
  );
}
