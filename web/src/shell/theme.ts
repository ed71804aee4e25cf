import { effect, type Signal, signal } from '@preact/signals';
import { store, stored } from '../storage.js';

export type Choice = 'system' | 'light' | 'dark';
export type Theme = {
  readonly choice: Signal<Choice>;
  /** The theme that is shown. */
  readonly isDark: () => boolean;
};

const KEY = 'theme';

/** Applies the chosen theme, and remembers the choice in this browser. */
export function startTheme(): Theme {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const systemDark = signal(system.matches);
  system.addEventListener('change', () => {
    systemDark.value = system.matches;
  });
  const choice = signal<Choice>(storedChoice());
  const isDark = () => (choice.value === 'system' ? systemDark.value : choice.value === 'dark');
  effect(() => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
    store(KEY, choice.value === 'system' ? '' : choice.value);
  });
  return { choice, isDark };
}

/** A browser that blocks storage has the system's theme, and forgets a choice with the tab. */
function storedChoice(): Choice {
  const value = stored(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}
