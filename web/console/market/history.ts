import { useMemo, useRef } from 'preact/hooks';
import type { History, PricePoint } from '../../generated/management-v1.d.ts';
import { usePolled } from '../live/polled.ts';
import { joined } from './joined-history.ts';

const everyMs = 2_500;

/** The last hour of a market, and what is added to it; only what is new is asked for. */
export function useHistory(symbol: string): { readonly points: readonly PricePoint[]; readonly isLoaded: boolean } {
  const known = useRef<{ symbol: string; points: readonly PricePoint[]; isLoaded: boolean }>(nothing(symbol));
  if (known.current.symbol !== symbol) known.current = nothing(symbol);
  const sinceMs = known.current.points.at(-1)?.atMs ?? 0;
  const { value } = usePolled<History>(`markets/${encodeURIComponent(symbol)}/history?since=${sinceMs}`, everyMs);
  useMemo(() => {
    if (value === undefined) return;
    known.current = { symbol, points: joined(known.current.points, value.points), isLoaded: true };
  }, [value]);
  return known.current;
}

function nothing(symbol: string) {
  return { symbol, points: [], isLoaded: false };
}
