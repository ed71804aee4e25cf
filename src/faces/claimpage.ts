import type { Context } from 'koa';
import type { AgentRecord } from '../core/agents/queries.js';
import { postTemplate } from '../core/agents/rules.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { knownCode } from './codes.js';

/** The page of a claimUrl: what to post, and whether the agent is claimed. Plain HTML, the same as claim-info. */
export function claimPage(deps: Deps) {
  return async (ctx: Context): Promise<void> => {
    const { code = '' } = ctx.params as Record<string, string>;
    ctx.set('Cache-Control', 'no-store');
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

/** Text that is HTML already. Whatever else is put into a template is escaped. */
class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (value: string | Html): string =>
  value instanceof Html ? value.text : value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const html = (parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html =>
  new Html(parts.map((part, i) => part + escaped(values[i] ?? '')).join(''));

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

function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - Curvet</title>
<style>
body { margin: 3rem auto; max-width: 40rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; }
pre { padding: .75rem; border: 1px solid; white-space: pre-wrap; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
