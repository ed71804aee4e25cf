import { useState } from 'preact/hooks';
import { MAX_AGENTS, waiting } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import { Dialog } from '../control/dialog.js';
import { ProblemView } from '../problem-view.js';
import { useScript } from '../use-script.js';

const words = texts.alerts;

type Props = { readonly agent: { readonly id: string; readonly name: string } | undefined };

/** Two buttons: one adds the agent to the watchlist of this browser or removes it, the other opens the alerts for the agent. */
export function WatchButtons({ agent }: Props) {
  const { watchlist } = useApp();
  const { agents, alerts } = watchlist.lists.value;
  const [isOpen, setOpen] = useState(false);
  const { id = '', name = '' } = agent ?? {};
  const isWatched = agents.includes(id);
  const isFull = !isWatched && agents.length >= MAX_AGENTS;
  const open = waiting(alerts).filter((alert) => alert.agent === id).length;
  const toggle = () => watchlist.put('agent', id, isWatched ? undefined : { id, at: Date.now() });
  return (
    <div class="watch-buttons">
      <button
        type="button"
        class="icon-button"
        aria-label={words.watch(name)}
        aria-pressed={isWatched}
        disabled={!agent || isFull}
        data-tip={isFull ? words.full(MAX_AGENTS) : isWatched ? words.watched : words.unwatched}
        onClick={toggle}
      >
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
          <path d="M9 1.8l2.2 4.5 5 .7-3.6 3.5.8 4.9L9 13.1l-4.4 2.3.8-4.9L1.8 7l5-.7z" />
        </svg>
      </button>
      <button
        type="button"
        class={open > 0 ? 'icon-button on' : 'icon-button'}
        aria-label={words.button(name, open)}
        aria-haspopup="dialog"
        disabled={!agent}
        data-tip={words.tip}
        onClick={() => setOpen(true)}
      >
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
          <path d="M4 12.5V8a5 5 0 0110 0v4.5l1.4 1.2H2.6zM7.4 16h3.2" />
        </svg>
      </button>
      {agent && isOpen && <AlertDialog agent={agent} close={() => setOpen(false)} />}
    </div>
  );
}

type DialogProps = { readonly agent: { readonly id: string; readonly name: string }; readonly close: () => void };

/** The dialog with the alerts for an agent. The script of its content loads when the dialog first opens. */
function AlertDialog({ agent, close }: DialogProps) {
  const { loaded, problem, load } = useScript(() => import('./alert-fields.js'));
  return (
    <Dialog title={words.title(agent.name)} close={close}>
      {loaded ? (
        <loaded.AlertFields agent={agent} />
      ) : problem ? (
        <ProblemView problem={problem} retry={load} />
      ) : (
        <div class="dialog-wait" aria-busy="true" />
      )}
    </Dialog>
  );
}
