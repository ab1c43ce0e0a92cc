import {
  createChart,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { History, PricePoint } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { serverNowMs } from '../state.ts';
import { type Drawn, joined, withGaps } from './joined-history.ts';

/** The lines of a market's chart. The exchange's are dashed and the client's solid, so that colour is not all that tells them apart. */
const series = [
  { name: 'buy', text: 'Client buys', className: 'buy', colour: '--buy', isDashed: false },
  { name: 'ask', text: 'Exchange ask', className: 'ask', colour: '--accent', isDashed: true },
  { name: 'bid', text: 'Exchange bid', className: 'bid', colour: '--plan', isDashed: true },
  { name: 'sell', text: 'Client sells', className: 'sell', colour: '--sell', isDashed: false },
] as const;

type SeriesName = (typeof series)[number]['name'];

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

/**
 * Draws prices in an element, in the colours of the page. Its own mark is off because it brings a stylesheet that
 * the content security policy refuses; the caption names and links its makers instead, as their licence asks.
 */
class PriceChart {
  readonly #chart: IChartApi;
  readonly #box: HTMLElement;
  readonly #lines = new Map<SeriesName, ISeriesApi<'Line'>>();
  #isShown = false;

  /** @param precision decimal places of the market's prices */
  constructor(box: HTMLElement, precision: number) {
    this.#box = box;
    this.#chart = createChart(box, {
      autoSize: true,
      layout: { attributionLogo: false, background: { color: 'transparent' }, fontFamily: 'inherit' },
      localization: {
        timeFormatter: (time: Time) => localText(msOf(time), 'second'),
        priceFormatter: (price: number) => grouped(price.toFixed(precision)),
      },
      timeScale: {
        timeVisible: true,
        secondsVisible: true,
        rightOffset: 2,
        tickMarkFormatter: (time: Time, kind: TickMarkType) =>
          localText(msOf(time), kind === TickMarkType.TimeWithSeconds ? 'second' : 'time'),
      },
      rightPriceScale: { borderVisible: false },
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
    });
    for (const { name, isDashed } of series) {
      const line = this.#chart.addSeries(LineSeries, {
        lineWidth: 2,
        lineStyle: isDashed ? LineStyle.Dashed : LineStyle.Solid,
        priceLineVisible: false,
        lastValueVisible: !isDashed,
        crosshairMarkerRadius: 3,
        priceFormat: { type: 'price', precision, minMove: 10 ** -precision },
      });
      this.#lines.set(name, line);
    }
    this.#colour();
    darkScheme.addEventListener('change', this.#colour);
  }

  show(points: readonly Drawn[]): void {
    for (const { name } of series) this.#lines.get(name)!.setData(lineOf(points, name));
    if (!this.#isShown) this.#chart.timeScale().fitContent();
    this.#isShown = points.length > 0;
  }

  hide(names: readonly SeriesName[]): void {
    for (const [name, line] of this.#lines) line.applyOptions({ visible: !names.includes(name) });
  }

  remove(): void {
    darkScheme.removeEventListener('change', this.#colour);
    this.#chart.remove();
  }

  readonly #colour = (): void => {
    const style = getComputedStyle(this.#box);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.#chart.applyOptions({
      layout: { textColor: colour('--quiet') },
      grid: { vertLines: { color: colour('--line') }, horzLines: { color: colour('--line') } },
      timeScale: { borderColor: colour('--line') },
    });
    for (const { name, colour: token } of series) this.#lines.get(name)!.applyOptions({ color: colour(token) });
  };
}

/** A drawing needs no more digits than a number has. The library draws through missing points unless the line is transparent there. */
function lineOf(points: readonly Drawn[], name: SeriesName) {
  return points.map(({ atMs, point }, at) => {
    const time = Math.floor(atMs / 1_000) as UTCTimestamp;
    if (point === undefined) return { time };
    const isBeforeGap = at + 1 < points.length && points[at + 1]!.point === undefined;
    return { time, value: Number(point[name]), ...(isBeforeGap && { color: 'transparent' }) };
  });
}

function msOf(time: Time): number {
  return Number(time) * 1_000;
}

const everyMs = 2_500;

/** The last hour of a market, extended as time passes; only new points are requested. */
function useHistory(symbol: string): { readonly points: readonly PricePoint[]; readonly isLoaded: boolean } {
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

/** The chart of a market's last hour, growing as it goes. The figures beside it say the same in text. */
export function LiveChart({ symbol, precision }: { symbol: string; precision: number }) {
  const { points, isLoaded } = useHistory(symbol);
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | undefined>(undefined);
  const [hidden, setHidden] = useState<readonly SeriesName[]>([]);
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = new PriceChart(box.current, precision);
    chart.current = made;
    return () => made.remove();
  }, [symbol, precision]);
  const drawn = withGaps(points, serverNowMs());
  useEffect(() => chart.current?.show(drawn), [points, drawn.length, symbol, precision]);
  useEffect(() => chart.current?.hide(hidden), [hidden, symbol, precision]);
  const toggle = (name: SeriesName) =>
    setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]);
  return html`<figure class="chart">
    <div class="legend" role="group" aria-label="Lines of the chart">
      ${series.map(({ name, text, className }) => html`<button key=${name} type="button" class=${`legend-item ${className}`} aria-pressed=${!hidden.includes(name)} onClick=${() => toggle(name)}>${text}</button>`)}
    </div>
    <div ref=${box} class="chart-box" role="img" aria-label=${`Chart of ${symbol} over the last hour: what the exchange asks and bids, and what a client pays and receives`} data-points=${points.length}></div>
    <figcaption class="small">${captionOf(points.length, isLoaded)} Charts by <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">TradingView</a> Lightweight Charts™.</figcaption>
  </figure>`;
}

function captionOf(count: number, isLoaded: boolean): string {
  if (!isLoaded) return 'Loading the last hour …';
  if (count === 0) return 'Nothing recorded yet; a point is added every 5 seconds while there is a price.';
  return 'A point every 5 seconds, local time. A gap: no price, or no news from the exchange.';
}
