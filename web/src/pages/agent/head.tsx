import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { count, shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Badge, walletHref } from '../../ui/agent/agent-link.js';
import { Avatar, pictureOf } from '../../ui/agent/avatar.js';
import { WatchButtons } from '../../ui/alerts/watch-buttons.js';
import { Copy } from '../../ui/control/copy.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Time } from '../../ui/figure/time.js';
import { Bar, LoadingTitle } from '../../ui/skeleton.js';
import { useScript } from '../../ui/use-script.js';
import type { Agent, Figures } from './queries.js';

type Props = { readonly agent: Agent | undefined; readonly figures: Figures | undefined };

/**
 * Head of the page: identity of the agent, and its present figures. The picture of the agent is loaded only after a click,
 * because the server of the picture learns the IP address of the reader.
 */
export function Head({ agent, figures }: Props) {
  const [picture, setPicture] = useState<'no' | 'yes' | 'failed'>('no');
  return (
    <section class="card agent-head" aria-label={texts.agent.about} aria-busy={agent === undefined}>
      <div class="identity">
        {agent ? (
          <Avatar agent={agent} isShown={picture === 'yes'} failed={() => setPicture('failed')} />
        ) : (
          <span class="bar picture" />
        )}
        <div class="who">
          <h1>
            {agent ? <bdi>{agent.name}</bdi> : <LoadingTitle />} {agent?.isClaimed && <Badge />}
          </h1>
          <p class="small muted facts">
            {agent ? <Facts agent={agent} picture={picture} show={() => setPicture('yes')} /> : <Bar width={36} />}
          </p>
          <p class="about">{agent ? <bdi>{agent.description ?? texts.agent.silent}</bdi> : <Bar width={50} />}</p>
        </div>
        <WatchButtons agent={agent} />
      </div>
      <FigureList agent={agent} figures={figures} />
    </section>
  );
}

type FactsProps = {
  readonly agent: Agent;
  readonly picture: 'no' | 'yes' | 'failed';
  readonly show: () => void;
};

function Facts({ agent, picture, show }: FactsProps) {
  const { id, agentId, socialHandle, createdAt } = agent;
  return (
    <>
      <Copy text={agentId} label={texts.agent.copyId}>
        <span class="mono">{agentId}</span>
      </Copy>
      <Copy text={id} label={texts.agent.copyWallet}>
        <span class="mono">{shortHex(id)}</span>
      </Copy>
      {socialHandle && (
        <span>
          {texts.agent.claimedBy}{' '}
          <a href={`https://x.com/${encodeURIComponent(socialHandle)}`} target="_blank" rel="noreferrer">
            @{socialHandle}
          </a>
        </span>
      )}
      <span>
        {texts.agent.joined} <Time at={createdAt} />
      </span>
      <a href={walletHref(id)}>{texts.agent.positions}</a>
      {pictureOf(agent) && picture !== 'yes' && (
        <button type="button" class="show-picture" disabled={picture === 'failed'} onClick={show}>
          {picture === 'failed' ? texts.avatar.failed : texts.avatar.show}
        </button>
      )}
    </>
  );
}

function FigureList({ agent, figures }: Props) {
  const words = texts.agent.figures;
  return (
    <dl class="figures">
      <Figure name={words.price} main>
        {figures && <Amount wei={figures.ticketPrice} />}
      </Figure>
      <Figure name={words.change}>{figures && <Change percent={figures.priceChange24h} />}</Figure>
      <Figure name={words.volume}>{figures && <Amount wei={figures.volume24hWei} usd="none" />}</Figure>
      <Figure name={words.trades}>{figures && count(figures.txCount24h)}</Figure>
      <Figure name={words.supply}>{figures && count(figures.totalSupply)}</Figure>
      <Figure name={words.holders}>{figures && count(figures.holderCount)}</Figure>
      <Figure name={words.followers}>{figures && count(figures.followerCount)}</Figure>
      <Figure name={words.profit}>{agent && figures && <OwnProfit agent={agent.id} supply={figures.totalSupply} />}</Figure>
    </dl>
  );
}

/** The profit of the connected wallet with the agent's tickets. Its script is loaded only if a wallet is connected. */
function OwnProfit(props: { readonly agent: string; readonly supply: number }) {
  const wallet = useApp().wallets.connected.value?.account;
  return wallet ? <WalletProfit key={wallet} wallet={wallet} {...props} /> : <>–</>;
}

function WalletProfit(props: { readonly agent: string; readonly supply: number; readonly wallet: string }) {
  const { loaded } = useScript(() => import('./trade/profit.js'));
  return loaded ? <loaded.Profit {...props} /> : <Bar width={5} />;
}

type FigureProps = { readonly name: string; readonly main?: boolean; readonly children: ComponentChildren };

function Figure({ name, main = false, children }: FigureProps) {
  return (
    <div class={main ? 'figure main' : 'figure'}>
      <dt>{name}</dt>
      <dd class="num">{children ?? <Bar width={main ? 10 : 5} />}</dd>
    </div>
  );
}
