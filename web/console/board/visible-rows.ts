import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** Rows made beyond what can be seen, so that scrolling and the arrow keys find them there. */
const spareRows = 12;
const usualRowHeight = 37;

export interface VisibleRows {
  readonly from: number;
  readonly to: number;
  /** Height in pixels of all rows left out above and below. */
  readonly above: number;
  readonly below: number;
}

/**
 * Which of `count` equally high rows of a table body lie in the window. Only these are made: a thousand markets
 * are as quick as thirty.
 */
export function useVisibleRows(body: { readonly current: HTMLElement | null }, count: number): VisibleRows {
  const [{ from, to, height }, setRange] = useState({ from: 0, to: 2 * spareRows, height: usualRowHeight });
  const measure = () => {
    if (body.current === null) return;
    const rowHeight = body.current.querySelector<HTMLElement>('tr[aria-rowindex]')?.offsetHeight || height;
    const top = body.current.getBoundingClientRect().top;
    const next = {
      from: Math.max(0, Math.floor(-top / rowHeight) - spareRows),
      to: Math.ceil((innerHeight - top) / rowHeight) + spareRows,
      height: rowHeight,
    };
    setRange((before) => (isSame(before, next) ? before : next));
  };
  useLayoutEffect(measure, [count]);
  useEffect(() => {
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure, { passive: true });
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, []);
  const last = Math.min(count, Math.max(to, from));
  const first = Math.min(from, Math.max(0, last - 1));
  return { from: first, to: last, above: first * height, below: (count - last) * height };
}

type Range = { readonly from: number; readonly to: number; readonly height: number };

function isSame(one: Range, other: Range): boolean {
  return one.from === other.from && one.to === other.to && one.height === other.height;
}
