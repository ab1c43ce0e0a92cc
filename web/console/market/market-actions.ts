import type { VNode } from 'preact';
import type { Market } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { Allowed } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { toast } from '../parts/toasts.ts';

interface ActionsProps {
  readonly market: Market;
  readonly onChanged: () => void;
}

/** What an operator can do with a market. Every action says beforehand what clients will see. */
export function MarketActions({ market, onChanged }: ActionsProps) {
  const { status, operatorPaused, heldAt, held } = market;
  if (status === 'delisted') return null;
  const possible: readonly Action[] = [
    operatorPaused ? 'resume' : 'pause',
    ...(held.some(({ reason }) => reason === 'rate') ? (['accept'] as const) : []),
    heldAt === null ? 'hold' : 'release',
    'delist',
  ];
  return html`<${Allowed} role="operator">
    ${possible.map((action) => html`<${ActionButton} key=${action} action=${action} market=${market} onChanged=${onChanged} />`)}
  <//>`;
}

function ActionButton({ action, market, onChanged }: ActionsProps & { action: Action }) {
  const { symbol } = market;
  const { verb, participle, button = verb, className, text } = actions[action];
  const isFinal = action === 'delist';
  const title = `${verb} ${symbol}${isFinal ? ' for good' : ''}`;
  const done = () => {
    toast(`${symbol} is ${participle}.`);
    onChanged();
  };
  return html`<${ConfirmButton}
    text=${button}
    className=${className}
    title=${`${title}?`}
    action=${title}
    isDangerous=${isFinal}
    typed=${isFinal ? symbol : undefined}
    act=${() => post<Market>(`markets/${encodeURIComponent(symbol)}/${action}`, isFinal ? { confirm: symbol } : {})}
    onDone=${done}
  >${text(market)}<//>`;
}

type Action = 'pause' | 'resume' | 'hold' | 'release' | 'accept' | 'delist';

interface ActionTexts {
  readonly verb: string;
  readonly participle: string;
  /** The verb where left out. */
  readonly button?: string;
  readonly className?: string;
  readonly text: (market: Market) => VNode;
}

const actions: Readonly<Record<Action, ActionTexts>> = {
  pause: {
    verb: 'Pause',
    participle: 'paused',
    text: () =>
      html`<p>Clients see it as <code>paused</code> in /v1/markets within a second: still offered, trading switched off. Its prices are still served. Resume it whenever you like.</p>`,
  },
  resume: {
    verb: 'Resume',
    participle: 'resumed',
    className: 'main',
    text: () =>
      html`<p>The operator's pause ends. Clients see the status the exchange gives it, usually <code>trading</code>.</p>`,
  },
  hold: {
    verb: 'Hold',
    participle: 'held',
    button: 'Hold price',
    text: () =>
      html`<p>Its price stays as it is, and so does every market made from the same price or rate. Clients see the price age; after five minutes they get 503 for it. Release it to go on.</p>`,
  },
  release: {
    verb: 'Release',
    participle: 'released',
    button: 'Release price',
    className: 'main',
    text: () => html`<p>The operator's hold ends, and the next tick is judged as usual.</p>`,
  },
  accept: {
    verb: 'Accept',
    participle: 'accepted',
    className: 'main',
    text: ({ held }) => html`<div>
      <p>Clients get what is doubted now:</p>
      <ul>${held.map(({ subject, values }) => values.length > 0 && html`<li key=${subject}>${subject} <code>${values.join(' / ')}</code></li>`)}</ul>
      <p>A rate is taken when it is next read, within 30 seconds.</p>
    </div>`,
  },
  delist: {
    verb: 'Delist',
    participle: 'delisted',
    className: 'dangerous-quiet',
    text: ({ convertedFrom }) => html`<div>
      <p><strong>This is final.</strong> A delisted market never comes back to the price list, not even by hand. If it may return, pause it instead.</p>
      <ul>
        <li>/v1/ticker answers 404 UNKNOWN_SYMBOL for it, and /v1/tickers leaves it out.</li>
        <li>/v1/markets shows it as <code>delisted</code> for 30 days, then no longer.</li>
        ${convertedFrom === null && html`<li>Markets converted from it are delisted with it.</li>`}
      </ul>
    </div>`,
  },
};
