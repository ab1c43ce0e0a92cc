import type { VNode } from 'preact';
import type { Market } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { say, type Text, tell } from '../language.ts';
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
  const { verb, title: titleText, done: doneText, button = verb, className, text } = actions[action];
  const isFinal = action === 'delist';
  const title = say(titleText, { symbol });
  const done = () => {
    toast(say(doneText, { symbol }));
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
  readonly title: Text;
  readonly done: Text;
  /** The verb where left out. */
  readonly button?: string;
  readonly className?: string;
  readonly text: (market: Market) => VNode;
}

const actions: Readonly<Record<Action, ActionTexts>> = {
  pause: {
    verb: say('Pause'),
    title: 'Pause {symbol}',
    done: '{symbol} is paused.',
    text: () =>
      html`<p>${tell('Clients see it as <code>paused</code> in /v1/markets within a second: still offered, trading switched off. Its prices are still served. Resume it whenever you like.')}</p>`,
  },
  resume: {
    verb: say('Resume'),
    title: 'Resume {symbol}',
    done: '{symbol} is resumed.',
    className: 'main',
    text: () =>
      html`<p>${tell("The operator's pause ends. Clients see the status the exchange gives it, usually <code>trading</code>.")}</p>`,
  },
  hold: {
    verb: say('Hold'),
    title: 'Hold {symbol}',
    done: '{symbol} is held.',
    button: say('Hold price'),
    text: () =>
      html`<p>${say('Its price stays as it is, and so does every market made from the same price or rate. Clients see the price age; after five minutes they get 503 for it. Release it to go on.')}</p>`,
  },
  release: {
    verb: say('Release'),
    title: 'Release {symbol}',
    done: '{symbol} is released.',
    button: say('Release price'),
    className: 'main',
    text: () => html`<p>${say("The operator's hold ends, and the next tick is judged as usual.")}</p>`,
  },
  accept: {
    verb: say('Accept'),
    title: 'Accept {symbol}',
    done: '{symbol} is accepted.',
    // What is doubted is mostly wrong: nothing invites to press it.
    text: ({ held }) => html`<div>
      <p>${say('Clients get what is doubted now:')}</p>
      <ul>${held.map(({ subject, values }) => values.length > 0 && html`<li key=${subject}>${subject} <code>${values.join(' / ')}</code></li>`)}</ul>
      <p>${say('A rate is taken at once.')}</p>
    </div>`,
  },
  delist: {
    verb: say('Delist'),
    title: 'Delist {symbol} for good',
    done: '{symbol} is delisted.',
    className: 'dangerous-quiet',
    text: ({ convertedFrom }) => html`<div>
      <p><strong>${say('This is final.')}</strong> ${say('A delisted market never comes back to the price list, not even by hand. If it may return, pause it instead.')}</p>
      <ul>
        <li>${say('/v1/ticker answers 404 UNKNOWN_SYMBOL for it, and /v1/tickers leaves it out.')}</li>
        <li>${tell('/v1/markets shows it as <code>delisted</code> for 30 days, then no longer.')}</li>
        ${convertedFrom === null && html`<li>${say('Markets converted from it are delisted with it.')}</li>`}
      </ul>
    </div>`,
  },
};
