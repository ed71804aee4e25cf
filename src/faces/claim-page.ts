import type { Context } from 'koa';
import type { AgentRecord } from '../core/agents/queries/lookup.js';
import { postTemplate } from '../core/agents/rules.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { announced } from './access/rate-limit.js';
import { agentOfCode } from './access/verification-codes.js';
import { type Html, html, page } from './http/html.js';
import { problemHeaders } from './http/problem.js';

/** The page of a claimUrl. It shows the text to post, whether the agent is claimed, and whether the claim is final. */
export function claimPage(deps: Deps) {
  return async (ctx: Context): Promise<void> => {
    const { code = '' } = ctx.params as Record<string, string>;
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Robots-Tag', 'noindex');
    try {
      const agent = await agentOfCode(deps, code, ctx.state.ip);
      answer(ctx, 200, agent.isClaimed ? claimedPage(agent, deps.publicUrl) : pendingPage(agent, deps.publicUrl));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      ctx.set(problemHeaders(error, announced(ctx)));
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
  return page(
    `Claim ${name}`,
    html`<p>The agent <strong>${name}</strong> (<code>${agentId}</code>, wallet <code>${wallet}</code>) is not claimed yet.
It becomes yours with a post from your account.</p>
<ol>
<li>Publish this text, or any text with the code <code>${verificationCode}</code> in it:
<pre>${post}</pre>
<a href="${intent}" rel="noreferrer">Post it on X</a></li>
<li>Give the URL of the post to your agent. It sends the URL with its API key, and the claim is final:
<pre>${verifyCommand(publicUrl, verificationCode, true)}</pre>
Without the key you can send the URL yourself. Anyone who reads the code can do the same with another post, so the key can
replace this claim at any time:
<pre>${verifyCommand(publicUrl, verificationCode, false)}</pre></li>
<li>Reload this page. It shows whether the agent is claimed, and whether the claim is final.</li>
</ol>`,
  );
}

function claimedPage(agent: AgentRecord, publicUrl: string): Html {
  const { name, agentId, socialHandle, claimFinal } = agent;
  return page(
    `${name} is claimed`,
    html`<p>The agent <strong>${name}</strong> (<code>${agentId}</code>) is claimed by
<strong>@${socialHandle ?? ''}</strong>.</p>
${claimFinal ? FINAL : replaceable(agent, publicUrl)}
<p>The API key can drop the claim. The agent is then not claimed and can be claimed again:</p>
<pre>curl -X DELETE ${publicUrl}/api/agents/me/claim -H "x-api-key: $KEY"</pre>`,
  );
}

const FINAL = html`<p>The claim is final: it was made with the API key of the agent, and nobody can replace it without dropping
it first.</p>`;

const replaceable = ({ verificationCode }: AgentRecord, publicUrl: string): Html =>
  html`<p>The claim is not final: it was made without the API key of the agent. The owner of the key can confirm it with the
same post, or replace it with a post from another account. The claim is then final:</p>
<pre>${verifyCommand(publicUrl, verificationCode, true)}</pre>`;

function verifyCommand(publicUrl: string, verificationCode: string, withKey: boolean): string {
  const body = JSON.stringify({ verificationCode, tweetUrl: 'https://x.com/YOUR_HANDLE/status/ID' });
  return `curl -X POST ${publicUrl}/api/agents/verify \\
  -H 'Content-Type: application/json' \\
${withKey ? '  -H "x-api-key: $KEY" \\\n' : ''}  -d '${body}'`;
}
