// Applies the theme before the first paint, so that the page does not flash in the wrong theme. Every document loads this script
// before its other files. It is a separate file, because the policy of the page forbids inline scripts. It is not a module, so it
// can import nothing: the text `theme` below is `KEY` in theme.ts.
{
  let choice: string | null = null;
  try {
    choice = window.localStorage.getItem('theme');
  } catch {
    // The browser blocks storage, so the theme of the system applies.
  }
  const isSystemDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = choice === 'dark' || (choice !== 'light' && isSystemDark);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
