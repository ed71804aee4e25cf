/**
 * Lets Escape hide the tip of the pointer or the focus, as WCAG 1.4.13 asks. The next move of pointer or focus to an element
 * allows tips again.
 */
export function startTips(): void {
  const root = document.documentElement;
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') root.dataset.tips = 'off';
  });
  for (const name of ['focusin', 'pointerover']) {
    document.addEventListener(name, () => {
      if (root.dataset.tips) delete root.dataset.tips;
    });
  }
}
