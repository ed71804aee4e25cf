// Applies the theme before the first paint, so that a chosen theme does not flash. Every document loads it before its other
// files, as a file of its own, since the policy of the page forbids inline scripts. It is no module, so it imports nothing:
// `theme` is the key in theme.ts.
{
  let choice: string | null = null;
  try {
    choice = window.localStorage.getItem('theme');
  } catch {
    // A browser that blocks storage has the system's theme.
  }
  const isSystemDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = choice === 'dark' || (choice !== 'light' && isSystemDark);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
