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
import type { PricePoint } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import { type SeriesName, series } from './series.ts';

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

/**
 * Draws prices in an element, in the colours of the page. Its own mark is off because it brings a stylesheet that
 * the content security policy refuses; the caption names and links its makers instead, as their licence asks.
 */
export class PriceChart {
  readonly #chart: IChartApi;
  readonly #box: HTMLElement;
  readonly #lines = new Map<SeriesName, ISeriesApi<'Line'>>();
  #shown: readonly PricePoint[] = [];

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

  /** Draws these points; only what is new when they go on from those drawn before. */
  show(points: readonly PricePoint[]): void {
    const before = this.#shown;
    this.#shown = points;
    const lastMs = before.at(-1)?.atMs;
    const isGoingOn = lastMs !== undefined && points.some(({ atMs }) => atMs === lastMs);
    for (const { name } of series) {
      const line = this.#lines.get(name)!;
      if (!isGoingOn) line.setData(points.map((point) => drawn(point, name)));
      else for (const point of points.filter(({ atMs }) => atMs > lastMs)) line.update(drawn(point, name));
    }
    if (!isGoingOn) this.#chart.timeScale().fitContent();
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

/** A picture needs no more digits than a number has. */
function drawn(point: PricePoint, name: SeriesName) {
  return { time: Math.floor(point.atMs / 1_000) as UTCTimestamp, value: Number(point[name]) };
}

function msOf(time: Time): number {
  return Number(time) * 1_000;
}
