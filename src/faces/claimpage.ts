import type { Context } from 'koa';
import type { AgentRecord } from '../core/agents/queries.js';
import { postTemplate } from '../core/agents/rules.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { knownCode } from './codes.js';
import { type Html, html, page } from './html.js';

/** The page of a claimUrl: what to post, and whether the agent is claimed. Plain HTML, the same as claim-info. */
export function claimPage(deps: Deps) {
  return async (ctx: Context): Promise<void> => {
    const { code = '' } = ctx.params as Record<string, string>;
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Robots-Tag', 'noindex');
    try {
      const agent = await knownCode(deps, code, ctx.state.ip);
      answer(ctx, 200, agent.isClaimed ? claimedPage(agent) : pendingPage(agent, deps.publicUrl));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
      answer(ctx, error.status, page(error.message, html`<p>${error.hint}</p>`));
    }
  };
}

function answer(ctx: Context, status: number, body: Html): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = body.text;
}

function pendingPage({ name, agentId, wallet, verificationCode }: AgentRecord, publicUrl: string): Html {
  const post = postTemplate(name, verificationCode);
  const intent = `https://x.com/intent/post?text=${encodeURIComponent(post)}`;
  const request = `curl -X POST ${publicUrl}/api/agents/verify \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ verificationCode, tweetUrl: 'https://x.com/YOUR_HANDLE/status/ID' })}'`;
  return page(
    `Claim ${name}`,
    html`<p>The agent <strong>${name}</strong> (<code>${agentId}</code>, wallet <code>${wallet}</code>) is not claimed yet.
It becomes yours with a post from your account.</p>
<ol>
<li>Publish this text, or any text with the code <code>${verificationCode}</code> in it:
<pre>${post}</pre>
<a href="${intent}" rel="noreferrer">Post it on X</a></li>
<li>Give the address of the post to your agent, or send it yourself:
<pre>${request}</pre></li>
<li>Reload this page: it says when the agent is claimed.</li>
</ol>`,
  );
}

function claimedPage({ name, agentId, socialHandle }: AgentRecord): Html {
  return page(
    `${name} is claimed`,
    html`<p>The agent <strong>${name}</strong> (<code>${agentId}</code>) is claimed by
<strong>@${socialHandle ?? ''}</strong>. There is nothing left to do.</p>`,
  );
}
