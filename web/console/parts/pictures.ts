import { countText } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';

const width = 96;
const height = 24;

/** A line through values, oldest first, in a box of `width` by `height`: one piece for each run between missing values. */
export function linePieces(values: readonly (number | null)[]): string[] {
  const known = values.filter((value) => value !== null);
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

/** How much of a limit is used, with the figures beside it. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  return html`<span class="meter">
    <meter min="0" max=${limit} low=${limit * 0.8} high=${limit - 0.5} optimum="0" value=${Math.min(used, limit)} aria-label=${label}></meter>
    <span>${say('{count} of {all}', { count: countText(used), all: countText(limit) })}</span>
  </span>`;
}
