import {
  CandlestickSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type MouseEventParams,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Candle } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import type { Slot } from './candle-spans.ts';

/** The prices of a candle that a chart shows: the client's above, the source's below. */
export type PricePair = readonly [client: 'buyPrice' | 'sellPrice', source: 'ask' | 'bid'];

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const dayMs = 86_400_000;

/**
 * Draws candles in an element, in the colours of the page: filled where the price rose, hollow where it fell. The
 * source's are in a pane of their own: where a price is converted, they are in another currency.
 */
export class CandleChart {
  readonly #chart: IChartApi;
  readonly #box: HTMLElement;
  readonly #panes: readonly ISeriesApi<'Candlestick'>[];
  #stepMs = 0;

  /** @param onPointed gets the instant of the candle under the pointer; `undefined` where there is none */
  constructor(box: HTMLElement, onPointed: (atMs: number | undefined) => void) {
    this.#box = box;
    this.#chart = createChart(box, {
      autoSize: true,
      layout: { attributionLogo: false, background: { color: 'transparent' }, fontFamily: 'inherit' },
      localization: { timeFormatter: (time: Time) => this.#instantText(msOf(time)) },
      timeScale: { timeVisible: true, tickMarkFormatter: this.#tickText },
      rightPriceScale: { borderVisible: false },
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
    });
    this.#panes = [0, 1].map((pane) => this.#chart.addSeries(CandlestickSeries, { priceLineVisible: false }, pane));
    this.#chart.panes()[0]!.setStretchFactor(2);
    this.#chart.subscribeCrosshairMove(({ time }: MouseEventParams) =>
      onPointed(time === undefined ? undefined : msOf(time)),
    );
    this.#colour();
    darkScheme.addEventListener('change', this.#colour);
  }

  /** @param stepMs how long a candle is */
  show(slots: readonly Slot[], names: PricePair, stepMs: number): void {
    this.#stepMs = stepMs;
    for (const [pane, name] of names.entries()) {
      const series = this.#panes[pane]!;
      const precision = precisionOf(slots, name);
      const formatter = (price: number) => grouped(price.toFixed(precision));
      series.applyOptions({ priceFormat: { type: 'custom', minMove: 10 ** -precision, formatter } });
      series.setData(slots.map((slot) => drawn(slot, name)));
    }
  }

  /** Shows the whole span. */
  fit(): void {
    this.#chart.timeScale().fitContent();
  }

  remove(): void {
    darkScheme.removeEventListener('change', this.#colour);
    this.#chart.remove();
  }

  #instantText(atMs: number): string {
    return localText(atMs, this.#stepMs >= dayMs ? 'day' : 'minute');
  }

  readonly #tickText = (time: Time, kind: TickMarkType): string => {
    const isTime = kind === TickMarkType.Time || kind === TickMarkType.TimeWithSeconds;
    return isTime ? localText(msOf(time), 'time') : this.#instantText(msOf(time));
  };

  readonly #colour = (): void => {
    const style = getComputedStyle(this.#box);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.#chart.applyOptions({
      layout: { textColor: colour('--quiet'), panes: { enableResize: false, separatorColor: colour('--line-strong') } },
      grid: { vertLines: { color: colour('--line') }, horzLines: { color: colour('--line') } },
      timeScale: { borderColor: colour('--line') },
    });
    for (const [pane, token] of ['--buy', '--accent'].entries()) {
      const ink = colour(token);
      const lines = { borderUpColor: ink, borderDownColor: ink, wickUpColor: ink, wickDownColor: ink };
      this.#panes[pane]!.applyOptions({ upColor: ink, downColor: colour('--raised'), ...lines });
    }
  };
}

/** A drawing needs no more digits than a number has. A step without a candle keeps its place on the axis. */
function drawn({ atMs, candle }: Slot, name: PricePair[number]) {
  const time = (atMs / 1_000) as UTCTimestamp;
  if (candle === undefined) return { time };
  const { open, high, low, close } = candle[name];
  return { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
}

/** Decimal places of the most exact price. */
function precisionOf(slots: readonly Slot[], name: keyof Candle & PricePair[number]): number {
  const places = slots.map(({ candle }) => candle?.[name].close.split('.')[1]?.length ?? 0);
  return places.reduce((most, each) => Math.max(most, each), 0);
}

function msOf(time: Time): number {
  return Number(time) * 1_000;
}
