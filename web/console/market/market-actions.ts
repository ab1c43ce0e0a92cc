import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Market } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { Allowed } from '../parts/blocks.ts';
import { Confirm } from '../parts/dialog.ts';
import { toast } from '../parts/toasts.ts';

type Action = 'pause' | 'resume' | 'hold' | 'release' | 'accept' | 'delist';

/** What an operator can do with a market. Every action says beforehand what clients will see. */
export function MarketActions({ market, onChanged }: { market: Market; onChanged: () => void }) {
  const [action, setAction] = useState<Action | undefined>(undefined);
  const { symbol, status, operatorPaused, heldAt, held } = market;
  const isHeldByGuard = held.some(({ reason }) => reason !== 'operator');
  if (status === 'delisted') return null;
  return html`<${Allowed} role="operator">
    ${
      operatorPaused
        ? html`<button type="button" class="main" onClick=${() => setAction('resume')}>Resume</button>`
        : html`<button type="button" onClick=${() => setAction('pause')}>Pause</button>`
    }
    ${isHeldByGuard && html`<button type="button" class="main" onClick=${() => setAction('accept')}>Accept</button>`}
    ${
      heldAt === null
        ? html`<button type="button" onClick=${() => setAction('hold')}>Hold price</button>`
        : html`<button type="button" class="main" onClick=${() => setAction('release')}>Release price</button>`
    }
    <button type="button" class="dangerous-quiet" onClick=${() => setAction('delist')}>Delist</button>
    ${action && html`<${ActionDialog} market=${market} action=${action} onClose=${() => setAction(undefined)} onDone=${done} />`}
  <//>`;

  function done(participle: string): void {
    toast(`${symbol} is ${participle}.`);
    onChanged();
  }
}

interface DialogProps {
  readonly market: Market;
  readonly action: Action;
  readonly onClose: () => void;
  readonly onDone: (participle: string) => void;
}

function ActionDialog({ market, action, onClose, onDone }: DialogProps) {
  const { symbol } = market;
  const isFinal = action === 'delist';
  const { verb, participle, text } = actions[action];
  const title = `${verb} ${symbol}${isFinal ? ' for good' : ''}`;
  return html`<${Confirm}
    title=${`${title}?`}
    action=${title}
    isDangerous=${isFinal}
    typed=${isFinal ? symbol : undefined}
    act=${() => post<Market>(`markets/${encodeURIComponent(symbol)}/${action}`, isFinal ? { confirm: symbol } : {})}
    onDone=${() => onDone(participle)}
    onClose=${onClose}
  >${text(market)}<//>`;
}

const actions: Readonly<Record<Action, { verb: string; participle: string; text: (market: Market) => VNode }>> = {
  pause: {
    verb: 'Pause',
    participle: 'paused',
    text: () =>
      html`<p>Clients see it as <code>paused</code> in /v1/markets within a second: still offered, trading switched off. Its prices are still served. Resume it whenever you like.</p>`,
  },
  resume: {
    verb: 'Resume',
    participle: 'resumed',
    text: () =>
      html`<p>The operator's pause ends. Clients see the status the exchange gives it, usually <code>trading</code>.</p>`,
  },
  hold: {
    verb: 'Hold',
    participle: 'held',
    text: () =>
      html`<p>Its price stays as it is, and so does every market made from the same price or rate. Clients see the price age; after five minutes they get 503 for it. Release it to go on.</p>`,
  },
  release: {
    verb: 'Release',
    participle: 'released',
    text: () => html`<p>The operator's hold ends, and the next tick is judged as usual.</p>`,
  },
  accept: {
    verb: 'Accept',
    participle: 'accepted',
    text: ({ held }) => html`<div>
      <p>Clients get what the guard holds now:</p>
      <ul>${held.map(({ subject, values }) => values.length > 0 && html`<li key=${subject}>${subject} <code>${values.join(' / ')}</code></li>`)}</ul>
      <p>A price is taken with the next tick at its level, a rate when it is next read, within 30 seconds.</p>
    </div>`,
  },
  delist: {
    verb: 'Delist',
    participle: 'delisted',
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
