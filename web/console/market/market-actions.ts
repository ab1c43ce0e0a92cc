import { useState } from 'preact/hooks';
import type { Market } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { Confirm } from '../parts/dialog.ts';
import { toast } from '../parts/toasts.ts';

type Deed = 'pause' | 'resume' | 'delist';

/** What an operator can do with a market. Every deed says before what clients will see. */
export function MarketActions({ market, onChanged }: { market: Market; onChanged: () => void }) {
  const [deed, setDeed] = useState<Deed | undefined>(undefined);
  if (market.status === 'delisted') return null;
  const close = () => setDeed(undefined);
  const done = (text: string) => {
    toast(text);
    onChanged();
  };
  return html`<span class="buttons">
    ${
      market.operatorPaused
        ? html`<button type="button" class="main" onClick=${() => setDeed('resume')}>Resume</button>`
        : html`<button type="button" onClick=${() => setDeed('pause')}>Pause</button>`
    }
    <button type="button" class="dangerous-quiet" onClick=${() => setDeed('delist')}>Delist</button>
    ${deed === 'pause' && html`<${PauseDialog} market=${market} onClose=${close} onDone=${done} />`}
    ${deed === 'resume' && html`<${ResumeDialog} market=${market} onClose=${close} onDone=${done} />`}
    ${deed === 'delist' && html`<${DelistDialog} market=${market} onClose=${close} onDone=${done} />`}
  </span>`;
}

interface DeedProps {
  readonly market: Market;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function act(symbol: string, deed: Deed, body: object = {}) {
  return () => post<unknown>(`markets/${encodeURIComponent(symbol)}/${deed}`, body);
}

function PauseDialog({ market: { symbol }, onClose, onDone }: DeedProps) {
  return html`<${Confirm}
    title=${`Pause ${symbol}?`}
    action=${`Pause ${symbol}`}
    act=${act(symbol, 'pause')}
    onDone=${() => onDone(`${symbol} is paused.`)}
    onClose=${onClose}
  >
    <p>Clients see it as <code>paused</code> in /v1/markets within a second: still offered, trading switched off. Its prices go on. Resume it whenever you like.</p>
  <//>`;
}

function ResumeDialog({ market: { symbol }, onClose, onDone }: DeedProps) {
  return html`<${Confirm}
    title=${`Resume ${symbol}?`}
    action=${`Resume ${symbol}`}
    act=${act(symbol, 'resume')}
    onDone=${() => onDone(`${symbol} is resumed.`)}
    onClose=${onClose}
  >
    <p>The operator's pause is taken off. Clients see the state the exchange gives it, usually <code>trading</code>.</p>
  <//>`;
}

function DelistDialog({ market: { symbol, convertedFrom }, onClose, onDone }: DeedProps) {
  return html`<${Confirm}
    title=${`Delist ${symbol} for good?`}
    action=${`Delist ${symbol} for good`}
    isDangerous
    typed=${symbol}
    act=${act(symbol, 'delist', { confirm: symbol })}
    onDone=${() => onDone(`${symbol} is delisted.`)}
    onClose=${onClose}
  >
    <p><strong>This is final.</strong> A delisted market never comes back to the price list, not even by hand. If it may return, pause it instead.</p>
    <ul>
      <li>/v1/ticker answers 404 UNKNOWN_SYMBOL for it, and /v1/tickers leaves it out.</li>
      <li>/v1/markets shows it as <code>delisted</code> for 30 days, then no more.</li>
      ${convertedFrom === null && html`<li>Markets converted from it are delisted with it.</li>`}
    </ul>
  <//>`;
}
