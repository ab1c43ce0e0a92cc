import type { MarketEvent } from '../market/market-event.ts';

/** Of these texts and of what is in them: nodes of different versions do not take each other's, and say so. */
const format = 2;

/** Events as text. Prices are texts already; members that are `undefined` are left out, and read as that again. */
export function writeEvents(events: readonly MarketEvent[]): string {
  return JSON.stringify({ format, events });
}

/** Reads what `writeEvents` wrote. Throws on anything else, another version's format included. */
export function readEvents(text: string): readonly MarketEvent[] {
  const read = JSON.parse(text) as { readonly format?: unknown; readonly events?: unknown } | null;
  if (read?.format !== format || !Array.isArray(read.events)) throw new TypeError('not events of this version');
  return read.events as MarketEvent[];
}
