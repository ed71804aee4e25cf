/** A line that says why an action failed. Screen readers read it when it appears. Nothing without a failure. */
export function FailureNote({ text }: { readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="note down" role="alert">
      {text}
    </p>
  );
}
