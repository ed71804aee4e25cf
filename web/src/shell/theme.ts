import { effect, type Signal, signal } from '@preact/signals';

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
  const choice = signal<Choice>(stored());
  const isDark = () => (choice.value === 'system' ? systemDark.value : choice.value === 'dark');
  effect(() => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
    store(choice.value);
  });
  return { choice, isDark };
}

/** A browser that blocks storage has the system's theme, and forgets a choice with the tab. */
function stored(): Choice {
  try {
    const value = window.localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

function store(choice: Choice): void {
  try {
    if (choice === 'system') window.localStorage.removeItem(KEY);
    else window.localStorage.setItem(KEY, choice);
  } catch {
    // The browser blocks storage, so the choice holds only until the tab closes.
  }
}
