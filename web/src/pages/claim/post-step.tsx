import { Card } from '../../ui/card.js';
import { Copy } from '../../ui/control/copy.js';
import { Bar } from '../../ui/skeleton.js';
import type { ClaimData } from './queries.js';
import { claimTexts } from './texts.js';

const words = claimTexts.post;

/** The text to post, with a button that copies it and one that opens the composer. */
export function PostStep({ claim }: { readonly claim: ClaimData | undefined }) {
  const post = claim?.postTemplate;
  return (
    <Card title={words.title}>
      <div class="body step">
        <p>{words.lead}</p>
        <blockquote class="post-text">{post === undefined ? <Bar width={50} /> : <bdi>{post}</bdi>}</blockquote>
        <p class="buttons">
          {post !== undefined && (
            <>
              <Copy text={post} label={words.copyLong}>
                {words.copy}
              </Copy>
              <a
                class="button"
                href={`https://x.com/intent/post?text=${encodeURIComponent(post)}`}
                target="_blank"
                rel="noreferrer"
              >
                {words.open}
              </a>
            </>
          )}
        </p>
        <p class="small muted">
          {words.code} <code class="mono">{claim?.verificationCode}</code>
        </p>
      </div>
    </Card>
  );
}
