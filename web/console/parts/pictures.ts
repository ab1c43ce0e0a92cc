import { html } from '../html.ts';

const width = 96;
const height = 24;

/** The points of a line through values, oldest first, in a box of `width` by `height`. Fewer than two make no line. */
function linePoints(values: readonly number[]): string {
  if (values.length < 2) return '';
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const step = width / (values.length - 1);
  const y = (value: number) => height - 2 - ((value - low) / range) * (height - 4);
  return values.map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
}

/** The last hour of a price as a line. It repeats what the figures say, so it is not read out. */
export function Sparkline({ prices }: { prices: readonly string[] }) {
  const values = prices.map(Number);
  const points = linePoints(values);
  if (points === '') return html`<span class="missing" title="No history yet">·</span>`;
  const isUp = values[values.length - 1]! >= values[0]!;
  return html`<svg class=${`spark ${isUp ? 'up' : 'down'}`} viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
    <polyline points=${points} />
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
