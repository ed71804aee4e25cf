import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { RequestError } from '../../graphql/problem.js';
import { execute } from '../../graphql/request.js';
import { Card } from '../../ui/card.js';
import { FailureNote } from '../../ui/problem-view.js';
import { EmbeddedPost } from './embedded-post.js';
import { type ClaimData, verifyMutation } from './queries.js';
import { claimTexts } from './texts.js';

const words = claimTexts.verify;

type Props = { readonly claim: ClaimData | undefined; readonly code: string; readonly done: () => void };

/** The form that takes the address of the post, and the API key of the agent if the owner has it. */
export function VerifyStep({ claim, code, done }: Props) {
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const { verify, isBusy, problem } = useVerify(code, () => {
    setKey('');
    done();
  });
  const send = (event: Event) => {
    event.preventDefault();
    void verify(url, key);
  };
  const posted = (address: string) => {
    setUrl(address);
    void verify(address, key);
  };
  return (
    <Card title={claim?.status === 'claimed' ? words.again : words.title}>
      <form class="body step" onSubmit={send}>
        <label class="field">
          <span>{words.url}</span>
          <input
            type="url"
            value={url}
            placeholder={words.placeholder}
            autoComplete="off"
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>{words.key}</span>
          <input type="password" value={key} autoComplete="off" onInput={(event) => setKey(event.currentTarget.value)} />
        </label>
        <p class="small muted">{words.keyHint}</p>
        <button type="submit" class="button main" aria-disabled={isBusy || url.trim() === ''}>
          {isBusy ? words.busy : words.send}
        </button>
        <FailureNote>{problem}</FailureNote>
      </form>
      {claim?.embeddedPosts && <EmbeddedPost text={claim.postTemplate} posted={posted} />}
    </Card>
  );
}

/** Sends the address of a post. Without a key in the form, it sends the key that the user has pasted in the settings, if any. */
function useVerify(code: string, done: () => void) {
  const { announce, agentKey } = useApp();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const verify = async (url: string, key: string) => {
    if (isBusy || url.trim() === '') return;
    setBusy(true);
    setProblem(undefined);
    try {
      const given = key.trim() || agentKey.value;
      await execute(verifyMutation, { code, url: url.trim() }, given ? { key: given } : {});
      announce(words.done);
      done();
    } catch (error) {
      const { message, hint } = error instanceof RequestError ? error.problem : { message: words.failed, hint: '' };
      setProblem([message, hint].filter(Boolean).join('. '));
    }
    setBusy(false);
  };
  return { verify, isBusy, problem };
}
