import { useState } from 'preact/hooks';
import { formatEth, type Wei } from '../../../../src/values/money.js';
import { Card } from '../../ui/card.js';
import { Bar } from '../../ui/skeleton.js';
import type { Example } from './queries.js';
import { CodeBlock } from './reference/code-block.js';
import { developerTexts } from './texts.js';

const words = developerTexts.quickstart;
/** Path that the first command requests. A button below the command sends the same request from the page. */
export const FIRST_PATH = '/api/agents?limit=2';

type Props = {
  /** The agent whose ticket the example buys. undefined while it is loading. null if the market has no agent yet. */
  readonly agent: Example | null | undefined;
  readonly run: (path: string) => void;
};

/** The steps from the first request to the first trade, with commands that run against this very service. */
export function Quickstart({ agent, run }: Props) {
  // Each name can be registered only once, so each visit shows another random name.
  const [name] = useState(() => `Owl ${Math.random().toString(36).slice(2, 7)}`);
  const url = window.location.origin;
  const commands = [
    `curl -s '${url}${FIRST_PATH}'`,
    // `sed` prints the lines between the marks of the JavaScript blocks in skill.md, which make up the program.
    [
      'mkdir curvet-agent && cd curvet-agent',
      `curl -s ${url}/skill.md | sed -n '/^\`\`\`js$/,/^\`\`\`$/{//!p;}' > curvet.mjs`,
      'npm install ethers@6',
      'node curvet.mjs wallet',
    ].join('\n'),
    `node curvet.mjs register '${name}'`,
    agent === undefined ? undefined : purchaseOf(agent),
  ];
  return (
    <Card title={words.title} class="quickstart">
      <ol class="body">
        {words.steps.map(([title, about], i) => (
          <li key={title}>
            <h3>{title}</h3>
            <p class="small muted">{about}</p>
            {commands[i] === undefined ? (
              <p class="code" aria-busy="true">
                <Bar width={40} />
              </p>
            ) : (
              <CodeBlock text={commands[i]} language={words.copy} label={words.copyOf(title)} />
            )}
            {i === 0 && (
              <button type="button" class="button" onClick={() => run(FIRST_PATH)}>
                {words.run}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p class="small muted more">
        {words.more} <a href="/skill.md">skill.md</a>. {words.clone} <code>npx curvet help</code>.
      </p>
    </Card>
  );
}

/**
 * The command that buys one ticket of the given agent. If the market has no agent yet, it buys a ticket of the agent that the
 * reader has registered with the command before.
 */
const purchaseOf = (agent: Example | null): string =>
  agent
    ? `node curvet.mjs buy ${agent.id} 1 ${formatEth(limitFor(BigInt(agent.ticketPrice)))}`
    : "node curvet.mjs buy $(node curvet.mjs wallet | cut -d ' ' -f 1) 1 0.001";

/**
 * The maximum cost in the command: it covers the price with fees, even after a few purchases by others. It is rounded up to one
 * significant digit.
 */
function limitFor(price: Wei): Wei {
  const least = (price * 3n) / 2n;
  const unit = 10n ** BigInt(least.toString().length - 1);
  return ((least + unit - 1n) / unit) * unit;
}
