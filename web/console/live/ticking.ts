import { useEffect, useState } from 'preact/hooks';
import { every, monotonicMs } from '../clock.ts';

/** Renders again every so often, for ages that grow. Gives the monotonic clock. */
export function useTicking(everyMs = 1_000): number {
  const [atMs, setAtMs] = useState(monotonicMs);
  useEffect(() => every(everyMs, () => setAtMs(monotonicMs())), [everyMs]);
  return Math.max(atMs, 0);
}
