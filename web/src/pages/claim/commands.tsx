import { Card } from '../../ui/card.js';
import { Copy } from '../../ui/control/copy.js';
import type { ClaimData } from './queries.js';
import { claimTexts } from './texts.js';

const words = claimTexts.commands;

/** Shell commands that do the same as the form, for owners and agents. */
export function Commands({ claim }: { readonly claim: ClaimData | undefined }) {
  const code = claim?.verificationCode ?? '';
  // The service accepts the command with the key until the claim is final, and the command without it until the agent is claimed.
  const commands = [
    ...(claim?.claimFinal ? [] : [[words.withKey, verifyCommand(code, true)]]),
    ...(claim?.status === 'claimed' ? [] : [[words.withoutKey, verifyCommand(code, false)]]),
    [words.drop, `curl -X DELETE ${window.location.origin}/api/agents/me/claim -H "x-api-key: $KEY"`],
  ] as const;
  return (
    <Card title={words.title}>
      <div class="body step">
        {commands.map(([name = '', command = '']) => (
          <div key={name} class="command">
            <p class="small">
              {name}{' '}
              <Copy text={command} label={words.copy(name)}>
                {words.copyShort}
              </Copy>
            </p>
            <pre role="region" aria-label={name} tabIndex={0}>
              {command}
            </pre>
          </div>
        ))}
      </div>
    </Card>
  );
}

function verifyCommand(verificationCode: string, withKey: boolean): string {
  const body = JSON.stringify({ verificationCode, tweetUrl: 'https://x.com/YOUR_HANDLE/status/ID' });
  return [
    `curl -X POST ${window.location.origin}/api/agents/verify \\`,
    "  -H 'Content-Type: application/json' \\",
    ...(withKey ? ['  -H "x-api-key: $KEY" \\'] : []),
    `  -d '${body}'`,
  ].join('\n');
}
