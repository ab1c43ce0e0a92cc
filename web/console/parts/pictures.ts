import { countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';

const width = 96;
const height = 24;

/**
 * A line through values, oldest first, in a box of `width` by `height`: one piece for each run between missing values.
 * @param span that the box shows at least
 */
export function linePieces(values: readonly (number | null)[], span: readonly number[] = []): string[] {
  const known = [...values.filter((value) => value !== null), ...span];
  const low = Math.min(...known);
  const range = Math.max(...known) - low || 1;
  const step = width / (values.length - 1);
  const y = (value: number) => height - 2 - ((value - low) / range) * (height - 4);
  const pieces: string[][] = [[]];
  for (const [at, value] of values.entries()) {
    if (value === null) pieces.push([]);
    else pieces.at(-1)!.push(`${(at * step).toFixed(1)},${y(value).toFixed(1)}`);
  }
  return pieces.filter(({ length }) => length > 1).map((points) => points.join(' '));
}

/** The last hour of a price as a line. It repeats what the figures say, so it is not read out. */
export function Sparkline({ prices }: { prices: readonly (string | null)[] }) {
  const values = prices.map((price) => (price === null ? null : Number(price)));
  const known = values.filter((value) => value !== null);
  const pieces = linePieces(values);
  if (pieces.length === 0) return html`<span class="missing" title=${say('No history yet')}>·</span>`;
  const isUp = known.at(-1)! >= known[0]!;
  return html`<svg class=${`spark ${isUp ? 'up' : 'down'}`} viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
    ${pieces.map((points) => html`<polyline key=${points} points=${points} />`)}
  </svg>`;
}

const trendMinutes = 60;
/** Data that stays away for longer fills the height. */
const awayMs = 10_000;

/** The last hour of a source: how long its live data stayed away at worst, minute by minute. */
export function Trend({ values }: { values: readonly (number | null)[] }) {
  const pieces = linePieces([...Array<null>(trendMinutes - values.length).fill(null), ...values], [0, awayMs]);
  if (pieces.length === 0) return html`<span class="missing" title=${say('No history yet')}>·</span>`;
  const worst = spanText(Math.max(...values.map(Number)));
  const gaps = countText(values.filter((value) => value === null).length);
  const label = say('Last hour: without live data for {span} at worst; minutes without a connection: {gaps}', {
    span: worst,
    gaps,
  });
  const isCalm = values.every((value) => value !== null && value < awayMs);
  return html`<svg class=${`spark ${isCalm ? 'up' : 'down'}`} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}><title>${label}</title>
    ${pieces.map((points) => html`<polyline key=${points} points=${points} />`)}
  </svg>`;
}

/** How much of a limit is used, with the figures beside it. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  return html`<span class="meter">
    <meter min="0" max=${limit} low=${limit * 0.8} high=${limit - 0.5} optimum="0" value=${Math.min(used, limit)} aria-label=${label}></meter>
    <span>${say('{count} of {all}', { count: countText(used), all: countText(limit) })}</span>
  </span>`;
}
