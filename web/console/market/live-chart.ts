import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { PriceChart } from './chart.ts';
import { useHistory } from './history.ts';
import { type SeriesName, series } from './series.ts';

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
  useEffect(() => chart.current?.show(points), [points, symbol, precision]);
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
  if (!isLoaded) return 'Reading the last hour …';
  if (count === 0) return 'Nothing was noted yet; a point comes every 5 seconds while there is a price.';
  return 'A point every 5 seconds, local time.';
}
