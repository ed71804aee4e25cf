import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { texts } from '../texts.js';
import { agentHref, walletHref } from '../ui/agent/agent-link.js';
import { AgentSearch } from '../ui/agent/agent-search.js';

/** The search over all agents in the header, with results while typing. The key "/" leads to it from everywhere. */
export function Search() {
  const { router } = useApp();
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  return (
    <AgentSearch
      label={texts.search.label}
      input={input}
      onChoose={({ agentId }) => router.open(agentHref(agentId))}
      onWallet={(address) => router.open(walletHref(address))}
    >
      <kbd aria-hidden="true">/</kbd>
    </AgentSearch>
  );
}

/** The key "/" moves the focus to the search, except while the reader types elsewhere. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.metaKey || event.ctrlKey || event.altKey) return;
      if ((event.target as Element).closest?.('input, textarea, select, [contenteditable]')) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
