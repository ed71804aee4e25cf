import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { graphql } from '../../graphql/document.js';
import { type Agent, type Figures, figuresQuery } from './queries.js';

/** Prices of this agent as they change. */
const livePrice = graphql(`
  subscription LivePrice($agent: String!) {
    price(agent: $agent) {
      sequence
      totalSupply
      ticketPrice
    }
  }
`);

/** Pause between a change of the price and the read of the figures that depend on it. */
const PAUSE_MS = 2000;

type Live = { readonly base: Agent; readonly figures: Figures };

/** The figures of the head, live: the price at once, the rest a moment later. */
export function useFigures(agentId: string, agent: Agent | undefined, onGap: () => void): Figures | undefined {
  const { connection } = useApp();
  const [live, setLive] = useState<Live | undefined>(undefined);
  useEffect(() => {
    if (!agent) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const renew = async () => {
      const answer = await connection.query(figuresQuery, { agentId }).catch(() => undefined);
      if (isOpen && answer?.agent) setLive({ base: agent, figures: answer.agent });
    };
    // A trade between the page's query and the start of the stream would be missed otherwise.
    let isCompared = false;
    const stop = connection.watch(
      livePrice,
      { agent: agentId },
      {
        gap: onGap,
        state: (now) => {
          if (now !== 'open' || isCompared) return;
          isCompared = true;
          timer = setTimeout(renew, PAUSE_MS);
        },
        next: ({ price: { ticketPrice, totalSupply } }) => {
          setLive((before) => ({
            base: agent,
            figures: { ...(before?.base === agent ? before.figures : agent), ticketPrice, totalSupply },
          }));
          clearTimeout(timer);
          timer = setTimeout(renew, PAUSE_MS);
        },
      },
    );
    return () => {
      isOpen = false;
      clearTimeout(timer);
      stop();
    };
  }, [connection, agentId, agent]);
  return live && live.base === agent ? live.figures : agent;
}
