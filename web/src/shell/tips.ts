/** Escape hides the tips of pointer and focus until the next one, as WCAG 1.4.13 asks. */
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
