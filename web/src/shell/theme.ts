import { effect, type Signal, signal } from '@preact/signals';
import { store, stored } from '../storage.js';

export type Choice = 'system' | 'light' | 'dark';
export type Theme = {
  readonly choice: Signal<Choice>;
  /** Whether the page is shown in the dark theme. */
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

/** The choice that this browser stores. `system` if it stores none, or blocks storage; a choice then ends with the page. */
function storedChoice(): Choice {
  const value = stored(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}
