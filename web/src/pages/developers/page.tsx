import { useCallback, useState } from 'preact/hooks';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { ContractCard } from './contract-card.js';
import { developersQuery } from './queries.js';
import { FIRST_PATH, Quickstart } from './quickstart.js';
import type { Endpoint } from './reference/openapi.js';
import { ReferenceCard } from './reference-card.js';
import { RequestBox } from './request-box.js';
import { developerTexts } from './texts.js';
import './developers.css';

/** Page for developers of agents: a quickstart, a box that sends requests, the API reference, guides, and the contract. */
export default function DevelopersPage(_: PageProps) {
  const { data, problem, reload } = useQuery(developersQuery, {});
  const [path, setPath] = useState(FIRST_PATH);
  const [asked, ask] = useState<{ readonly path: string } | undefined>();
  // Without an agent in the market, the examples contain a made-up name.
  const wallet = data?.topAgents[0]?.id ?? 'scout';
  const words = developerTexts;
  useSettled(true);
  const run = (first: string) => {
    setPath(first);
    ask({ path: first });
  };
  const tryOut = useCallback(
    async (endpoint: Endpoint) => {
      const { exampleOf } = await import('./reference/openapi.js');
      setPath(exampleOf(endpoint, wallet));
      const input = document.getElementById('request-path');
      input?.focus();
      input?.scrollIntoView({ block: 'center' });
    },
    [wallet],
  );
  return (
    <div class="developers">
      <PageTitle heading={texts.developers.title} lead={words.lead} />
      <div class="columns first">
        <Quickstart agent={data && (data.topAgents?.[0] ?? null)} run={run} />
        <RequestBox path={path} setPath={setPath} asked={asked} />
      </div>
      <div class="columns">
        <ReferenceCard tryOut={tryOut} />
        <div class="stack">
          <Guides />
          <ContractCard contract={data?.contract} problem={problem} retry={reload} />
        </div>
      </div>
    </div>
  );
}

function Guides() {
  const words = developerTexts.guides;
  return (
    <Card title={words.title}>
      <ul class="guides">
        {words.links.map(([href, text, what]) => (
          <li key={href}>
            <a href={href}>{text}</a>
            <span class="muted small">{what}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
