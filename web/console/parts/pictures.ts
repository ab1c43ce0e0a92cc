import { html } from '../html.ts';

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
  if (pieces.length === 0) return html`<span class="missing" title="No history yet">·</span>`;
  const isUp = known.at(-1)! >= known[0]!;
  return html`<svg class=${`spark ${isUp ? 'up' : 'down'}`} viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
    ${pieces.map((points) => html`<polyline key=${points} points=${points} />`)}
  </svg>`;
}

/** How much of a limit is used, with the figures beside it. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  const share = limit === 0 ? 1 : used / limit;
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'good';
  return html`<span class=${`meter ${tone}`}>
    <meter min="0" max=${limit} value=${Math.min(used, limit)} aria-label=${label}></meter>
    <span class="meter-text">${used} of ${limit}</span>
  </span>`;
}

interface BarsProps {
  readonly bars: readonly { readonly key: number; readonly value: number; readonly title: string }[];
  /** Says in words what the picture shows. */
  readonly label: string;
}

/** Small upright bars, oldest left. */
export function Bars({ bars, label }: BarsProps) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const step = 10;
  return html`<svg class="bars" viewBox=${`0 0 ${Math.max(bars.length, 12) * step} 60`} role="img" aria-label=${label}>
    ${bars.map(({ key, value, title }, at) => {
      const tall = Math.max(2, (value / highest) * 58);
      return html`<rect key=${key} x=${at * step} y=${60 - tall} width=${step - 3} height=${tall}><title>${title}</title></rect>`;
    })}
  </svg>`;
}
