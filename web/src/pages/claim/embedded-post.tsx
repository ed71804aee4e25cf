import { useState } from 'preact/hooks';
import { FailureNote } from '../../ui/problem-view.js';
import { claimTexts } from './texts.js';

const words = claimTexts.embedded;

type Props = { readonly text: string; readonly posted: (url: string) => void };

/** Publishes the post on the embedded post host, which only a service for development has. */
export function EmbeddedPost({ text, posted }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [handle, setHandle] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const publish = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    const reply = await fetch('/dev/posts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: handle.trim().replace(/^@/, ''), text }),
    }).then(
      (response) => response.json() as Promise<{ readonly url?: string; readonly error?: string; readonly hint?: string }>,
      () => ({ url: undefined, error: words.failed, hint: undefined }),
    );
    if (reply.url) posted(reply.url);
    else setProblem([reply.error, reply.hint].filter(Boolean).join('. '));
  };
  if (!isOpen) {
    return (
      <div class="embedded">
        <button type="button" class="button quiet" aria-expanded={false} onClick={() => setOpen(true)}>
          {words.offer}
        </button>
      </div>
    );
  }
  return (
    <form class="embedded" onSubmit={publish}>
      <p class="note warn">{words.about}</p>
      <label class="field">
        <span>{words.handle}</span>
        {/* An account name has at most 15 characters. The reader may write an @ before it. */}
        <input value={handle} maxLength={16} autoComplete="off" onInput={(event) => setHandle(event.currentTarget.value)} />
      </label>
      <button type="submit" class="button" aria-disabled={handle.trim() === ''}>
        {words.publish}
      </button>
      <FailureNote>{problem}</FailureNote>
    </form>
  );
}
