import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { countdown } from '../format/time.js';
import { texts } from '../texts.js';
import { useLeft } from '../ui/use-left.js';

/** Shows the state of the connection. Its width is fixed, so that nothing moves when the state changes. */
export function Status() {
  const { connection, announce } = useApp();
  const { state, retryAt } = connection.state.value;
  const words = texts.status[state];
  const left = useLeft(retryAt);
  // Only a state that lasts 3 seconds is announced, because an announcement interrupts the screen reader.
  const announced = useRef<string | undefined>(undefined);
  useEffect(() => {
    const isTrouble = state === 'offline' || state === 'limited' || state === 'reconnecting';
    const timer = setTimeout(() => {
      if (isTrouble && announced.current !== state) announce(words.spoken);
      if (!isTrouble && announced.current !== undefined) announce(texts.status.back);
      announced.current = isTrouble ? state : undefined;
    }, 3000);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <span class={`status ${state}`} data-tip={words.hint} tabIndex={0}>
      <span class="dot" aria-hidden="true" />
      <span class="word">{state === 'limited' && left > 0 ? countdown(left) : words.short}</span>
    </span>
  );
}
