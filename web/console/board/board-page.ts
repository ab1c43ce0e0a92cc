import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { MarketList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { counted, countText } from '../format/decimal.ts';
import { type Content, html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Empty, Loaded, Page, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { Choice } from '../parts/form.ts';
import { hrefTo, hrefWith, replaceWith } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { BoardTable, columns } from './board-table.ts';
import { nextPoll, noPoll, type Poll } from './moves.ts';
import { ReviewCard } from './review-card.ts';
import { queryOf, type Selection, type SortKey, selected, selectionOf } from './selection.ts';

const everyMs = 1_000;

/** All markets, once a second. The address holds what was chosen, so that it can be shared and returned to. */
export function BoardPage({ query }: { query: URLSearchParams }) {
  const [frozenAtMs, setFrozenAt] = useState<number | undefined>(undefined);
  const polled = usePolled<MarketList>('markets', everyMs, frozenAtMs !== undefined);
  const markets = polled.value?.markets ?? [];
  const isHeld = markets.some(({ heldAt }) => heldAt !== null);
  const isAnyPaused = markets.some(({ operatorPaused }) => operatorPaused);
  const verbs = [isAnyPaused ? 'resume' : 'pause', isHeld ? 'release' : 'hold'] as const;
  const actions = html`<${Allowed} role="operator">${verbs.map((verb) => html`<${ChangeAll} key=${verb} verb=${verb} onChanged=${polled.refresh} />`)}<//>`;
  const freeze = html`<${Freeze} atMs=${frozenAtMs} onChange=${setFrozenAt} />`;
  return html`<${Page} title=${say('Markets')} actions=${actions}>
    <${ReviewCard} />
    <${Loaded} polled=${polled}>${(body: MarketList) => html`<${Board} body=${body} receivedAtMs=${polled.receivedAtMs} selection=${selectionOf(query)} beside=${freeze} />`}<//>
  <//>`;
}

/** Stops and starts what is shown here, and says that nothing else stands still. */
function Freeze({ atMs, onChange }: { atMs: number | undefined; onChange: (atMs: number | undefined) => void }) {
  if (atMs === undefined)
    return html`<button type="button" onClick=${() => onChange(serverNowMs())}>${say('Freeze the display')}</button>`;
  const since = html`<${When} atMs=${atMs} as="second" />`;
  return html`<span class="frozen">${tell('The display stands still since {instant}; clients get the present prices.', { instant: since })} <button type="button" onClick=${() => onChange(undefined)}>${say('Let it run')}</button></span>`;
}

const changes = {
  pause: {
    title: say('Pause all markets'),
    text: say('Clients see every market as paused. Prices are still served.'),
    isDangerous: true,
  },
  resume: {
    title: say('Resume all markets'),
    text: say("Every operator's pause ends. What the exchange has paused stays paused."),
    isDangerous: false,
  },
  hold: {
    title: say('Hold all prices'),
    text: say('Every price and every rate stays as it is. After five minutes clients get 503 for all of them.'),
    isDangerous: true,
  },
  release: {
    title: say('Release all prices'),
    text: say("Every operator's hold ends, and the next ticks are judged as usual."),
    isDangerous: false,
  },
} as const;

/** Changes all markets at once. */
function ChangeAll({ verb, onChanged }: { verb: keyof typeof changes; onChanged: () => void }) {
  const { title, text, isDangerous } = changes[verb];
  const act = () => post(`markets/${verb}`);
  return html`<${ConfirmButton} text=${title} title=${`${title}?`} action=${title} isDangerous=${isDangerous} act=${act} className=${isDangerous ? 'dangerous-quiet' : undefined} onDone=${onChanged}><p>${text}</p><//>`;
}

interface BoardProps {
  readonly body: MarketList;
  readonly receivedAtMs: number;
  readonly selection: Selection;
  /** Beside the count. */
  readonly beside: Content;
}

function Board({ body, receivedAtMs, selection, beside }: BoardProps) {
  const { markets } = body;
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  const poll = usePoll(body);
  const quotes = useMemo(() => [...new Set(markets.map(({ quote }) => quote))].sort(), [markets]);
  const shown = useMemo(() => selected(markets, selection), [markets, JSON.stringify(selection)]);
  const change = (part: Partial<Selection>) => replaceWith(hrefWith(['markets'], queryOf({ ...selection, ...part })));
  const sort = (key: SortKey) =>
    change({ sort: key, isDescending: selection.sort === key ? !selection.isDescending : isBestFirst(key) });
  return html`<div>
    <${BoardFilter} selection=${selection} quotes=${quotes} onChange=${change} />
    <div class="board-count"><p class="small" role="status">${shown.length === markets.length ? counted(markets.length, 'market') : say('{count} of {all}', { count: countText(shown.length), all: counted(markets.length, 'of markets') })}</p>${beside}</div>
    ${
      shown.length === 0
        ? html`<${NothingShown} isEmpty=${markets.length === 0} />`
        : html`<${BoardTable} markets=${shown} poll=${poll} laterMs=${laterMs} selection=${selection} onSort=${sort} />`
    }
  </div>`;
}

function isBestFirst(key: SortKey): boolean {
  return key !== 'symbol' && key !== 'status';
}

/** A new poll with every answer, the same one in between. */
function usePoll(body: MarketList): Poll {
  const last = useRef<{ body: MarketList | undefined; poll: Poll }>({ body: undefined, poll: noPoll });
  if (last.current.body !== body) last.current = { body, poll: nextPoll(last.current.poll, body.markets) };
  return last.current.poll;
}

function NothingShown({ isEmpty }: { isEmpty: boolean }) {
  if (isEmpty) {
    return html`<${Empty} title=${say('There are no markets yet.')}>
      ${tell("They come with the exchange's catalogue. If they do not, look at the <a>feed</a>.", { a: (text: Content) => html`<a href=${hrefTo('feed')}>${text}</a>` })}
    <//>`;
  }
  return html`<${Empty} title=${say('No market is like that.')}><a href=${hrefTo('markets')}>${say('Show all markets')}</a><//>`;
}

interface FilterProps {
  readonly selection: Selection;
  readonly quotes: readonly string[];
  readonly onChange: (change: Partial<Selection>) => void;
}

const statuses = [
  ['', say('Any status')],
  ['trading', say('Trading')],
  ['paused', say('Paused')],
  ['delisted', say('Delisted')],
] as const;

/** The arrow down goes from the field to the first market. */
function enterBoard(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  document.querySelector<HTMLElement>('.board tbody th a')?.focus();
}

/** What chooses among the markets. */
function BoardFilter({ selection, quotes, onChange }: FilterProps) {
  const id = useId();
  const sorts = columns.flatMap(({ key, text }) => (key === undefined ? [] : [[key, text] as const]));
  return html`<div class="filter" role="search" aria-label=${say('Markets')}>
    <span class="field grow">
      <label for=${id}>${say('Find')}</label>
      <input
        id=${id}
        type="search"
        placeholder=${say('BTC, EURCZK …')}
        autocomplete="off"
        spellcheck=${false}
        value=${selection.text}
        onInput=${(event: Event) => onChange({ text: (event.target as HTMLInputElement).value })}
        onKeyDown=${enterBoard}
      />
    </span>
    <${Choice} label=${say('Status')} value=${selection.status} options=${statuses} onChange=${(status: string) => onChange({ status })} />
    <${Choice}
      label=${say('Quote')}
      value=${selection.quote}
      options=${[['', say('Any quote')], ...quotes.map((quote) => [quote, quote])]}
      onChange=${(quote: string) => onChange({ quote })}
    />
    <${Choice} className="field narrow-only" label=${say('Sort by')} value=${selection.sort} options=${sorts} onChange=${(sort: string) => onChange({ sort: sort as SortKey })} />
    <label class="check"><input type="checkbox" checked=${selection.withoutPrice} onChange=${() => onChange({ withoutPrice: !selection.withoutPrice })} /> ${say('Without price')}</label>
  </div>`;
}
