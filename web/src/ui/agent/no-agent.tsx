import { shortHex } from '../../format/number.js';
import { graphql } from '../../graphql/document.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import { addressOf } from '../../wallet/provider.js';
import { usePageTitle } from '../page-head.js';
import { ProblemView } from '../problem-view.js';
import { Bar } from '../skeleton.js';
import { AgentLink, agentName, walletHref } from './agent-link.js';

const similarQuery = graphql(
  `
  query SimilarAgents($q: String!) {
    search(first: 5, q: $q, similar: true) { nodes { ...agentName } }
  }
`,
  [agentName],
);

/**
 * The page for an agent that does not exist: links to the market, to the wallet if an address was asked for, and to similar
 * names.
 */
export function NoAgent({ reference }: { readonly reference: string }) {
  const words = texts.noAgent;
  const wallet = addressOf(reference);
  usePageTitle(words.title);
  return (
    <div class="problem">
      <div role="alert">
        <h1>{words.title}</h1>
        <p class="muted">
          <bdi>{wallet ? shortHex(wallet) : reference}</bdi>
        </p>
      </div>
      {wallet && (
        <a class="button" href={walletHref(wallet)}>
          {words.wallet}
        </a>
      )}
      <a class="button" href="/">
        {texts.notFound.home}
      </a>
      {!wallet && <Similar q={reference.trim()} />}
    </div>
  );
}

const NONE = { search: { nodes: [] } };

function Similar({ q }: { readonly q: string }) {
  // The service searches only for texts of 2 to 50 characters, so no query is sent for other texts.
  const isRefused = q.length < 2 || q.length > 50;
  const { data = isRefused ? NONE : undefined, problem, reload } = useQuery(similarQuery, { q }, { skip: isRefused });
  const agents = data?.search.nodes;
  if (!agents && problem) return <ProblemView problem={problem} retry={reload} />;
  const rows = agents ?? Array<undefined>(5).fill(undefined);
  return (
    <div class="similar" aria-busy={!agents}>
      {rows.length === 0 ? <p class="muted">{texts.noAgent.none}</p> : <h2>{texts.noAgent.similar}</h2>}
      <ul>
        {rows.map((agent, i) => (
          <li key={i}>{agent ? <AgentLink agent={agent} address={agent.id} /> : <Bar width={14} />}</li>
        ))}
      </ul>
    </div>
  );
}
