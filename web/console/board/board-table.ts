import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { MarketRow } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { BoardRow, type RowProps } from './board-row.ts';
import type { Look } from './moves.ts';
import type { Selection, SortKey } from './selection.ts';
import { useVisibleRows } from './visible-rows.ts';

/** The columns with their headings; those without a key cannot be sorted by. */
export const columns: readonly { readonly key: SortKey | undefined; readonly name: string; readonly text: string }[] = [
  { key: 'symbol', name: 'symbol', text: 'Market' },
  { key: 'status', name: 'status', text: 'Status' },
  { key: 'buy', name: 'buy', text: 'Buy' },
  { key: 'sell', name: 'sell', text: 'Sell' },
  { key: 'spread', name: 'spread', text: 'Spread' },
  { key: 'change', name: 'change', text: '24 h' },
  { key: 'age', name: 'age', text: 'Age' },
  { key: undefined, name: 'spark', text: 'Last hour' },
];

interface TableProps {
  readonly markets: readonly MarketRow[];
  readonly look: Look;
  readonly laterMs: number;
  readonly selection: Selection;
  readonly onSort: (key: SortKey) => void;
}

/**
 * The board. Only the rows in the window are made; `aria-rowcount` tells how many there are. The roles are written
 * out because a narrow screen lays the rows out as cards, which takes them from the elements.
 */
export function BoardTable({ markets, look, laterMs, selection, onSort }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, above, below } = useVisibleRows(body, markets.length);
  const rows = useRows(markets.slice(from, to).map((market, at) => ({ market, look, laterMs, index: from + at + 2 })));
  return html`<table role="table" class="board" aria-label="Markets" aria-rowcount=${markets.length + 1} onKeyDown=${moveBetweenRows}>
    <thead role="rowgroup"><tr role="row" aria-rowindex="1">${columns.map((column) => html`<${Heading} key=${column.name} column=${column} selection=${selection} onSort=${onSort} />`)}</tr></thead>
    <tbody role="rowgroup" ref=${body}>
      ${above > 0 && html`<${Gap} key="above" height=${above} />`}
      ${rows}
      ${below > 0 && html`<${Gap} key="below" height=${below} />`}
    </tbody>
  </table>`;
}

/** The rows as elements: those whose market reads as before are the very same, so that scrolling makes only what is new. */
function useRows(all: readonly RowProps[]): readonly VNode[] {
  const kept = useRef(new Map<string, { readonly props: RowProps; readonly row: VNode }>());
  const next = new Map<string, { readonly props: RowProps; readonly row: VNode }>();
  for (const props of all) {
    const before = kept.current.get(props.market.symbol);
    const isSame = before !== undefined && isSameRow(before.props, props);
    next.set(props.market.symbol, isSame ? before : { props, row: rowOf(props) });
  }
  kept.current = next;
  return [...next.values()].map(({ row }) => row);
}

function isSameRow(one: RowProps, other: RowProps): boolean {
  return (
    one.market === other.market && one.look === other.look && one.laterMs === other.laterMs && one.index === other.index
  );
}

function rowOf(props: RowProps): VNode {
  return html`<${BoardRow} key=${props.market.symbol} ...${props} />`;
}

/** Stands for the rows left out. Its height is set through the object model, which the policy on styles allows. */
function Gap({ height }: { height: number }) {
  return html`<tr role="presentation" class="gap"><td role="presentation" colspan=${columns.length} style=${{ height: `${height}px` }}></td></tr>`;
}

interface HeadingProps {
  readonly column: (typeof columns)[number];
  readonly selection: Selection;
  readonly onSort: (key: SortKey) => void;
}

function Heading({ column: { key, name, text }, selection, onSort }: HeadingProps) {
  const isSorted = selection.sort === key;
  const order = isSorted ? (selection.isDescending ? 'descending' : 'ascending') : undefined;
  return html`<th role="columnheader" scope="col" class=${`c-${name}`} aria-sort=${order}>
    ${key === undefined ? text : html`<button type="button" class="sort" onClick=${() => onSort(key)}>${text}<span aria-hidden="true">${isSorted ? (selection.isDescending ? ' ↓' : ' ↑') : ''}</span></button>`}
  </th>`;
}

/** The arrow keys go from market to market. */
function moveBetweenRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  const link = next?.querySelector<HTMLElement>('th a');
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}
