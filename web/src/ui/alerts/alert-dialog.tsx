import { useEffect, useId, useState } from 'preact/hooks';
import { agentsIn, alertFiguresQuery, readProfit, type WatchedAgent } from '../../alerts/position.js';
import { priceIn, profitIn } from '../../alerts/rules.js';
import { type Alert, MAX_ALERTS } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { change } from '../../format/number.js';
import type { Sentence } from '../../format/sentence.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import { Dialog } from '../control/dialog.js';
import { Words } from '../figure/words.js';
import { FailureNote, ProblemView } from '../problem-view.js';
import { Bar } from '../skeleton.js';
import { AlertList } from './alert-list.js';
import { Where } from './where.js';
import './alerts.css';

const words = texts.alerts;

type Props = { readonly agent: { readonly id: string; readonly name: string }; readonly close: () => void };

/** The alerts for one agent: those of this browser, and fields for further ones. */
export function AlertDialog({ agent: { id, name }, close }: Props) {
  const { watchlist, wallets } = useApp();
  const { data, problem, reload } = useQuery(alertFiguresQuery, { wallets: [id] }, { fresh: 0 });
  const agent = data && agentsIn(data).get(id);
  const { alerts } = watchlist.lists.value;
  const own = alerts.filter((alert) => alert.agent === id);
  const wallet = wallets.connected.value?.account;
  return (
    <Dialog title={words.title(name)} close={close}>
      <div class="alert-fields">
        {own.length > 0 && <AlertList alerts={own} nameOf={() => name} />}
        {!agent && problem ? (
          <ProblemView problem={problem} retry={reload} />
        ) : (
          <>
            <PriceField agent={agent} />
            {wallet ? (
              <ProfitField key={wallet} agent={agent} wallet={wallet} />
            ) : (
              <p class="small muted">{words.noWallet}</p>
            )}
          </>
        )}
        <ThesisChoice agent={id} />
        <Where />
      </div>
    </Dialog>
  );
}

type NewAlert = Alert extends infer One ? (One extends Alert ? Omit<One, 'id'> : never) : never;

/** Returns a function that stores an alert, and says why it does not. */
function useAdd(): (alert: NewAlert) => string | undefined {
  const { watchlist } = useApp();
  return (alert) => {
    let fault: string | undefined;
    watchlist.change(({ alerts, after }) => {
      if (alerts.length >= MAX_ALERTS) {
        fault = words.faults.most(MAX_ALERTS);
        return {};
      }
      const one = { ...alert, id: `${alert.kind} ${alert.agent} ${Date.now()}` } as Alert;
      // The first alert of its kind must not tell reasons from before.
      const isFirst = !alerts.some(({ kind }) => kind === 'thesis');
      return { alerts: [...alerts, one], after: alert.kind === 'thesis' && isFirst ? undefined : after };
    });
    return fault;
  };
}

type FieldProps = {
  readonly label: string;
  /** What the agent has now. undefined while it loads. */
  readonly now: Sentence | undefined;
  readonly mode: 'decimal' | 'text';
  /** Adds the alert for which the text stands, and says why it does not. */
  readonly add: (text: string) => string | undefined;
};

function Field({ label, now, mode, add }: FieldProps) {
  const { announce } = useApp();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | undefined>(undefined);
  const id = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    const found = add(text);
    setFault(found);
    if (found) return;
    setText('');
    announce(words.added);
  };
  return (
    <form noValidate onSubmit={submit}>
      <label class="field">
        <span>{label}</span>
        <input
          inputMode={mode}
          autoComplete="off"
          spellcheck={false}
          maxLength={24}
          value={text}
          aria-invalid={fault !== undefined}
          aria-describedby={id}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setFault(undefined);
          }}
        />
      </label>
      <button type="submit" class="button" disabled={now === undefined}>
        {words.add}
      </button>
      <div id={id} class="small muted">
        <FailureNote>{fault}</FailureNote>
        {now === undefined ? <Bar width={12} /> : <Words of={now} />}
      </div>
    </form>
  );
}

function PriceField({ agent }: { readonly agent: WatchedAgent | undefined }) {
  const add = useAdd();
  const now = BigInt(agent?.ticketPrice ?? 0);
  return (
    <Field
      label={words.priceField}
      now={agent && words.priceNow(now)}
      mode="decimal"
      add={(text) => {
        const read = priceIn(text, now);
        return 'fault' in read ? read.fault : add({ ...read.wanted, agent: agent?.id ?? '' });
      }}
    />
  );
}

/** The profit of the connected wallet. `null`: it has no position that has a profit. */
function ProfitField({ agent, wallet }: { readonly agent: WatchedAgent | undefined; readonly wallet: string }) {
  const { connection } = useApp();
  const add = useAdd();
  const [profit, setProfit] = useState<number | null | undefined>(undefined);
  useEffect(() => {
    if (!agent) return;
    let isOpen = true;
    readProfit(connection, wallet, agent).then(
      (read) => isOpen && setProfit(read ?? null),
      () => isOpen && setProfit(null),
    );
    return () => {
      isOpen = false;
    };
  }, [agent, wallet]);
  if (profit === null) return <p class="small muted">{words.noPosition}</p>;
  return (
    <Field
      label={words.profitField}
      now={profit === undefined ? undefined : words.profitNow(change(profit))}
      mode="text"
      add={(text) => {
        const read = profitIn(text, profit ?? 0);
        return 'fault' in read ? read.fault : add({ ...read.wanted, agent: agent?.id ?? '', wallet });
      }}
    />
  );
}

function ThesisChoice({ agent }: { readonly agent: string }) {
  const { watchlist } = useApp();
  const add = useAdd();
  const [fault, setFault] = useState<string | undefined>(undefined);
  const id = useId();
  const isOne = (alert: Alert) => alert.kind === 'thesis' && alert.agent === agent;
  const isOn = watchlist.lists.value.alerts.some(isOne);
  const toggle = () => {
    if (isOn) watchlist.change(({ alerts }) => ({ alerts: alerts.filter((alert) => !isOne(alert)) }));
    else setFault(add({ kind: 'thesis', agent }));
  };
  return (
    <div class="theses">
      <p id={id}>{words.theses}</p>
      <button type="button" class="button" aria-describedby={id} onClick={toggle}>
        {isOn ? words.removeShort : words.add}
      </button>
      <FailureNote>{fault}</FailureNote>
    </div>
  );
}
