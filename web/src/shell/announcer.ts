/**
 * Creates the region whose text screen readers speak, and returns a function that sets the text. The region is outside of the
 * page's content, so that another page does not replace it.
 */
export function startAnnouncer(): (text: string) => void {
  const region = document.createElement('div');
  region.setAttribute('role', 'status');
  region.className = 'hidden';
  document.body.append(region);
  return (text) => {
    // Screen readers speak the same text again only if the region was empty in between.
    region.textContent = '';
    requestAnimationFrame(() => {
      region.textContent = text;
    });
  };
}
