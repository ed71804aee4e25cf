import type { ComponentChildren } from 'preact';

/** A line that says why an action failed. Screen readers read it when it appears. Nothing without a failure. */
export function FailureNote({ children }: { readonly children: ComponentChildren }) {
  if (!children) return null;
  return (
    <p class="note down" role="alert">
      {children}
    </p>
  );
}
