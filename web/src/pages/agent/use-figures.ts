import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { graphql } from '../../graphql/document.js';
import { useLater } from '../../ui/use-later.js';
import { type Agent, type Figures, figuresQuery } from './queries.js';

/** The live prices of one agent, with the supply that each follows from. */
const livePrice = graphql(`
  subscription LivePrice($agent: AgentRef!) {
    price(agent: $agent) {
      sequence
      totalSupply
      ticketPrice
    }
  }
`);

/** Pause between a change of the price and the read of the figures that depend on it. All changes within it cost one read. */
const PAUSE_MS = 2000;

/** Figures that are newer than those in `base`, the answer to the page's query. A newer answer replaces them. */
type Live = { readonly base: Agent; readonly figures: Figures };

/**
 * Live figures of an agent. A trade changes price and supply immediately, and the other figures after `PAUSE_MS`. `show` replaces
 * figures by newer ones that another part of the page has. `onGap` is called when live events were missed.
 */
export function useFigures(agentId: string, agent: Agent | undefined, onGap: () => void) {
  const { connection } = useApp();
  const [live, setLive] = useState<Live | undefined>(undefined);
  const renew = useLater(async () => {
    const answer = await connection.query(figuresQuery, { agentId });
    if (agent && answer.agent) setLive({ base: agent, figures: answer.agent });
  }, PAUSE_MS);
  const show = (newer: Partial<Figures>) =>
    agent && setLive((before) => ({ base: agent, figures: { ...(before?.base === agent ? before.figures : agent), ...newer } }));
  useEffect(() => {
    if (!agent) return;
    // When the stream has started, the figures are read again: a trade between the page's query and the start of the
    // stream would be missed otherwise.
    let isCompared = false;
    const stop = connection.watch(
      livePrice,
      { agent: agentId },
      {
        gap: onGap,
        state: (now) => {
          if (now !== 'open' || isCompared) return;
          isCompared = true;
          renew();
        },
        next: ({ price: { ticketPrice, totalSupply } }) => {
          show({ ticketPrice, totalSupply });
          renew();
        },
      },
    );
    return stop;
  }, [connection, agentId, agent, renew]);
  const figures: Figures | undefined = live && live.base === agent ? live.figures : agent;
  return { figures, show };
}
