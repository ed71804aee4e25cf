import { useEffect, useId, useState } from 'preact/hooks';
import { agentsIn, readHolding, type WatchedAgent, watchedAgentsQuery } from '../../alerts/figures.js';
import { priceIn, profitIn, profitOf } from '../../alerts/rules.js';
import { alertTexts } from '../../alerts/texts.js';
import { type Alert, MAX_ALERTS, waiting } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { feesQuery, splitOf } from '../../contract/fees.js';
import { change } from '../../format/number.js';
import type { Sentence } from '../../format/sentence.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { useQuery } from '../../graphql/use-query.js';
import { texts } from '../../texts.js';
import { Words } from '../figure/words.js';
import { FailureNote, ProblemView } from '../problem-view.js';
import { Bar } from '../skeleton.js';
import { useRetry } from '../use-retry.js';
import { AlertList } from './alert-list.js';
import { NotificationChoice } from './notification-choice.js';
import './alerts.css';

const words = alertTexts;

type Props = { readonly agent: { readonly id: string; readonly name: string } };

/** The alerts for one agent: those that this browser stores, and fields that set further ones. */
export function AlertFields({ agent: { id, name } }: Props) {
  const { watchlist, wallets } = useApp();
  const { data, problem, reload } = useQuery(watchedAgentsQuery, { wallets: [id] }, { fresh: 0 });
  const [said, say] = useState('');
  const agent = data && agentsIn(data).get(id);
  const own = watchlist.lists.value.alerts.filter((alert) => alert.agent === id);
  const wallet = wallets.connected.value?.account;
  return (
    <div class="alert-fields" tabIndex={-1}>
      {own.length > 0 && <AlertList alerts={own} nameOf={() => name} tell={say} />}
      {/* This region is in the dialog: while a dialog is open, screen readers speak no region outside of it. */}
      <p class="hidden" role="status">
        {said}
      </p>
      {data && !agent ? (
        <p class="muted">{words.noAgent}</p>
      ) : !agent && problem ? (
        <ProblemView problem={problem} retry={reload} />
      ) : (
        <>
          <PriceField id={id} agent={agent} tell={say} />
          {wallet ? (
            <ProfitField key={wallet} agent={id} wallet={wallet} tell={say} />
          ) : (
            <p class="small muted">{words.noWallet}</p>
          )}
          <ThesisChoice agent={id} tell={say} />
        </>
      )}
      <NotificationChoice />
    </div>
  );
}

/** What an alert waits for, without the agent. */
type Wanted = Pick<Alert, 'kind'> & { readonly wei?: string; readonly percent?: number; readonly wallet?: string };

/** Returns a function that sets an alert. That function returns a message if it cannot set the alert, otherwise undefined. */
function useAdd(): (agent: string, wanted: Wanted) => string | undefined {
  const { watchlist } = useApp();
  return (agent, wanted) => {
    const open = waiting(watchlist.lists.peek().alerts);
    const isSame = (alert: Wanted & { readonly agent: string }) =>
      alert.agent === agent &&
      alert.kind === wanted.kind &&
      alert.wei === wanted.wei &&
      alert.percent === wanted.percent &&
      alert.wallet === wanted.wallet;
    if (open.some(isSame)) return words.faults.same;
    if (open.length >= MAX_ALERTS) return words.faults.most(MAX_ALERTS);
    const at = Date.now();
    const id = `${agent}.${wanted.kind}.${at}`;
    watchlist.put('alert', id, { ...wanted, id, agent, at } as Alert);
    return undefined;
  };
}

type FieldProps = {
  readonly label: string;
  /** A sentence with the present value. undefined while it loads. */
  readonly now: Sentence | undefined;
  readonly mode: 'decimal' | 'text';
  /** Sets the alert that the text describes. Returns a message if it cannot set the alert, otherwise undefined. */
  readonly add: (text: string) => Promise<string | undefined>;
  readonly tell: (what: string) => void;
};

/** A form with one field, which sets an alert. Below the field stands the present value, or why the text is not valid. */
function Field({ label, now, mode, add, tell }: FieldProps) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | undefined>(undefined);
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = await add(text).catch((error: unknown) => texts.problems[problemFrom(error).kind].title);
    setFault(found);
    if (found) return;
    setText('');
    tell(words.added);
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
      <button type="submit" class="button" aria-label={words.addTo(label)} disabled={now === undefined}>
        {words.add}
      </button>
      <div id={id} class="small muted">
        <FailureNote>{fault}</FailureNote>
        {now === undefined ? <Bar width={12} /> : <Words of={now} />}
      </div>
    </form>
  );
}

type PriceProps = {
  readonly id: string;
  readonly agent: WatchedAgent | undefined;
  readonly tell: (what: string) => void;
};

function PriceField({ id, agent, tell }: PriceProps) {
  const { connection } = useApp();
  const add = useAdd();
  const [read, setRead] = useState<bigint | undefined>(undefined);
  const now = read ?? (agent && BigInt(agent.ticketPrice));
  return (
    <Field
      label={words.priceField}
      now={now === undefined ? undefined : words.priceNow(now)}
      mode="decimal"
      tell={tell}
      add={async (text) => {
        // The price may have moved since the dialog opened, so it is read again.
        const fresh = agentsIn(await connection.query(watchedAgentsQuery, { wallets: [id] })).get(id);
        const present = BigInt(fresh?.ticketPrice ?? now ?? 0n);
        setRead(present);
        const found = priceIn(text, present);
        return 'fault' in found ? found.fault : add(id, found.wanted);
      }}
    />
  );
}

type ProfitProps = { readonly agent: string; readonly wallet: string; readonly tell: (what: string) => void };

/** The field that sets an alert for the profit of the connected wallet with the agent's tickets. */
function ProfitField({ agent, wallet, tell }: ProfitProps) {
  const { connection } = useApp();
  const add = useAdd();
  const [profit, setProfit] = useState<{ readonly percent: number | undefined } | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const read = async () => {
    const { contract } = await connection.query(feesQuery, {});
    const holding = await readHolding(connection.query, { wallet, agent, split: splitOf(contract) });
    const percent = holding && profitOf(holding);
    setProfit({ percent });
    return percent;
  };
  const load = () =>
    void read().then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(problemFrom(error)),
    );
  useEffect(load, []);
  useRetry(problem, load);
  if (problem && !profit) return <ProblemView problem={problem} retry={load} />;
  if (profit && profit.percent === undefined) return <p class="small muted">{words.noPosition}</p>;
  return (
    <Field
      label={words.profitField}
      now={profit?.percent === undefined ? undefined : words.profitNow(change(profit.percent))}
      mode="text"
      tell={tell}
      add={async (text) => {
        const percent = await read();
        if (percent === undefined) return words.noPosition;
        const found = profitIn(text, percent);
        return 'fault' in found ? found.fault : add(agent, { ...found.wanted, wallet });
      }}
    />
  );
}

function ThesisChoice({ agent, tell }: { readonly agent: string; readonly tell: (what: string) => void }) {
  const { watchlist } = useApp();
  const add = useAdd();
  const [fault, setFault] = useState<string | undefined>(undefined);
  const id = useId();
  const present = watchlist.lists.value.alerts.find((alert) => alert.kind === 'thesis' && alert.agent === agent);
  const toggle = () => {
    if (present) watchlist.put('alert', present.id, undefined);
    const found = present ? undefined : add(agent, { kind: 'thesis' });
    setFault(found);
    if (!found) tell(present ? words.removed : words.added);
  };
  return (
    <div class="theses">
      <p id={id}>{words.theses}</p>
      <button type="button" class="button" aria-describedby={id} aria-pressed={present !== undefined} onClick={toggle}>
        {present ? words.on : words.add}
      </button>
      <FailureNote>{fault}</FailureNote>
    </div>
  );
}
