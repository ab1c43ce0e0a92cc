import { useMemo, useRef, useState } from 'preact/hooks';
import type { MarketList } from '../../generated/management-v1.d.ts';
import { counted, countText } from '../format/decimal.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { useTicking } from '../live/ticking.ts';
import { Empty, Loaded } from '../parts/blocks.ts';
import { Page } from '../parts/page.ts';
import { hrefTo, hrefWith, replaceWith } from '../router.ts';
import { BoardFilter } from './board-filter.ts';
import { BoardTable } from './board-table.ts';
import { type Look, lookAgain, noLook } from './moves.ts';
import { queryOf, type Selection, type SortKey, selected, selectionOf } from './selection.ts';

const everyMs = 1_000;

/** All markets, once a second. The address holds what was chosen, so that it can be shared and returned to. */
export function BoardPage({ query }: { query: URLSearchParams }) {
  const [isPaused, setPaused] = useState(false);
  const polled = usePolled<MarketList>('markets', everyMs, isPaused);
  const pause = html`<button type="button" aria-pressed=${isPaused} onClick=${() => setPaused(!isPaused)}>${isPaused ? 'Updates are paused' : 'Pause updates'}</button>`;
  return html`<${Page} title="Markets" actions=${pause}>
    <${Loaded} polled=${polled}>${(body: MarketList) => html`<${Board} body=${body} receivedAtMs=${polled.receivedAtMs} selection=${selectionOf(query)} />`}<//>
  <//>`;
}

interface BoardProps {
  readonly body: MarketList;
  readonly receivedAtMs: number;
  readonly selection: Selection;
}

function Board({ body, receivedAtMs, selection }: BoardProps) {
  const { markets } = body;
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  const look = useLook(body);
  const quotes = useMemo(() => [...new Set(markets.map(({ quote }) => quote))].sort(), [markets]);
  const shown = useMemo(() => selected(markets, selection), [markets, JSON.stringify(selection)]);
  const change = (part: Partial<Selection>) => replaceWith(hrefWith(['markets'], queryOf({ ...selection, ...part })));
  const sort = (key: SortKey) =>
    change({ sort: key, isDescending: selection.sort === key ? !selection.isDescending : isBestFirst(key) });
  return html`<div>
    <${BoardFilter} selection=${selection} quotes=${quotes} onChange=${change} />
    <p class="small board-count" role="status">${shown.length === markets.length ? counted(markets.length, 'market') : `${countText(shown.length)} of ${counted(markets.length, 'market')}`}</p>
    ${
      shown.length === 0
        ? html`<${NothingShown} isEmpty=${markets.length === 0} />`
        : html`<${BoardTable} markets=${shown} look=${look} laterMs=${laterMs} selection=${selection} onSort=${sort} />`
    }
  </div>`;
}

function isBestFirst(key: SortKey): boolean {
  return key !== 'symbol' && key !== 'status';
}

/** A new look with every answer, the same one between. */
function useLook(body: MarketList): Look {
  const last = useRef<{ body: MarketList | undefined; look: Look }>({ body: undefined, look: noLook });
  if (last.current.body !== body) last.current = { body, look: lookAgain(last.current.look, body.markets) };
  return last.current.look;
}

function NothingShown({ isEmpty }: { isEmpty: boolean }) {
  if (isEmpty) {
    return html`<${Empty} title="There are no markets yet.">
      They come with the exchange's catalogue. If they do not, look at the <a href=${hrefTo('feed')}>feed</a>.
    <//>`;
  }
  return html`<${Empty} title="No market is like that."><a href=${hrefTo('markets')}>Show all markets</a><//>`;
}
