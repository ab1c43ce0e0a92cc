import type { FeedSink } from '../market/upstream.ts';

/** One call of a `FeedSink`, as it goes to other nodes. */
export type FeedEvent = { [Name in keyof FeedSink]: readonly [Name, ...Parameters<FeedSink[Name]>] }[keyof FeedSink];

const names: ReadonlySet<string> = new Set<keyof FeedSink>([
  'catalogueLoaded',
  'marketStatusChanged',
  'tickerReceived',
  'referencePricesChanged',
  'rateRefreshed',
  'feedCurrent',
  'feedPathChanged',
]);

/** Events as text. Prices are texts already; members that are `undefined` are left out, and read as that again. */
export function writeEvents(events: readonly FeedEvent[]): string {
  return JSON.stringify(events);
}

/** Reads what `writeEvents` wrote. Throws on anything else, also on events of a newer version. */
export function readEvents(text: string): readonly FeedEvent[] {
  const read: unknown = JSON.parse(text);
  const isRight = Array.isArray(read) && read.every((event) => Array.isArray(event) && names.has(event[0]));
  if (!isRight) throw new TypeError('not events of the feed');
  return read as FeedEvent[];
}

export function applyEvent(sink: FeedSink, [name, ...values]: FeedEvent): void {
  (sink[name] as (...values: readonly unknown[]) => unknown)(...values);
}

/**
 * A sink that leads everything to `local` and, once it was taken, on to `publish`. What the local one does not take
 * no other node would take either, as all have taken the same before.
 */
export function publishingSink(local: FeedSink, publish: (event: FeedEvent) => void): FeedSink {
  const both = (event: FeedEvent) => {
    applyEvent(local, event);
    publish(event);
  };
  return {
    tickerReceived(ticker) {
      const rejected = local.tickerReceived(ticker);
      if (rejected === undefined) publish(['tickerReceived', ticker]);
      return rejected;
    },
    catalogueLoaded: (markets, at) => both(['catalogueLoaded', markets, at]),
    marketStatusChanged: (symbol, status, at) => both(['marketStatusChanged', symbol, status, at]),
    referencePricesChanged: (symbol, prices) => both(['referencePricesChanged', symbol, prices]),
    rateRefreshed: (rate) => both(['rateRefreshed', rate]),
    feedCurrent: (path, at) => both(['feedCurrent', path, at]),
    feedPathChanged: (path, at) => both(['feedPathChanged', path, at]),
  };
}
