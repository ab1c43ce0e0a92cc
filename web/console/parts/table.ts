import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Content, html } from '../html.ts';
import { say } from '../language.ts';

/**
 * A table that scrolls by itself where the window is too narrow; the keyboard can reach it for that. On a phone its
 * rows are cards, and each value has its column's name before it.
 */
export function TableFrame({ label, children }: { label: string; children?: Content }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const table = frame.current?.querySelector('table');
    if (table) nameCells(table);
  });
  return html`<div ref=${frame} class="table-frame" role="region" aria-label=${label} tabindex="0">${children}</div>`;
}

const roles: Readonly<Record<string, string>> = {
  TABLE: 'table',
  THEAD: 'rowgroup',
  TBODY: 'rowgroup',
  TR: 'row',
  TD: 'cell',
};

/** Writes out the roles, which another display could take from the elements, and each cell's column. */
function nameCells(table: HTMLTableElement): void {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent ?? '');
  for (const element of [table, ...table.querySelectorAll('thead, tbody, tr, td')]) {
    element.setAttribute('role', roles[element.tagName] ?? 'cell');
  }
  for (const heading of table.querySelectorAll('th')) {
    heading.setAttribute('role', heading.scope === 'row' ? 'rowheader' : 'columnheader');
  }
  for (const row of table.tBodies[0]?.rows ?? []) {
    for (const cell of row.cells) cell.dataset.column = names[cell.cellIndex] ?? '';
  }
}

/** A place in a list that the service gives a page at a time. */
export interface Paging {
  /** Of the page shown; empty for the first. */
  readonly after: string;
  readonly hasPrevious: boolean;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

/** Starts at the first page again when `question` changes. */
export function usePaging(question: string): Paging {
  const [trail, setTrail] = useState<readonly string[]>([]);
  useEffect(() => setTrail([]), [question]);
  return {
    after: trail.at(-1) ?? '',
    hasPrevious: trail.length > 0,
    previous: () => setTrail(trail.slice(0, -1)),
    next: (cursor) => setTrail([...trail, cursor]),
  };
}

/** The buttons to the page before and the page after; nothing when there is only one. */
export function PagingButtons({ paging, next }: { paging: Paging; next: string | null }) {
  if (next === null && !paging.hasPrevious) return null;
  return html`<nav class="paging buttons" aria-label=${say('More of the list')}>
    <button type="button" disabled=${!paging.hasPrevious} onClick=${paging.previous}>${say('← Previous')}</button>
    <button type="button" disabled=${next === null} onClick=${() => next !== null && paging.next(next)}>${say('Next →')}</button>
  </nav>`;
}
