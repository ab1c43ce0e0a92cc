import { useMemo, useRef } from 'preact/hooks';
import type { Feed, Minute, Minutes } from '../../generated/management-v1.d.ts';
import { FeedTimeline } from '../feed/feed-page.ts';
import { countText, figureText } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Loaded } from '../parts/blocks.ts';
import { serverNowMs } from '../state.ts';
import { type Bucket, type BucketSum, bucketsOf, topCodes } from './buckets.ts';
import { Incidents } from './incidents.ts';

const everyMs = 15_000;
const codesMax = 4;

/** The last 24 hours of requests, errors, latency, guard and feed. */
export function DayCharts() {
  const minutes = useMinutes();
  const feed = usePolled<Feed>('feed', everyMs);
  const buckets = bucketsOf(minutes, serverNowMs());
  const codes = topCodes(buckets, codesMax);
  const others = ({ errorsPerMinute }: BucketSum) =>
    Object.entries(errorsPerMinute).reduce((sum, [code, count]) => sum + (codes.includes(code) ? 0 : count), 0);
  return html`<div>
    <div class="day-charts">
      <${DayChart} title=${say('Requests a minute')} buckets=${buckets} parts=${[{ name: say('requests'), of: (sum: BucketSum) => sum.requestsPerMinute }]} show=${figureText} />
      <${DayChart}
        title=${say('Errors a minute')}
        buckets=${buckets}
        parts=${[...codes.map((code) => ({ name: code, of: ({ errorsPerMinute }: BucketSum) => errorsPerMinute[code] ?? 0 })), { name: say('others'), of: others }]}
        show=${figureText}
      />
      <${DayChart}
        title=${say('Time to answer')}
        buckets=${buckets}
        parts=${[
          { name: say('half within'), of: ({ p50Ms }: BucketSum) => p50Ms },
          { name: say('99 % within'), of: ({ p50Ms, p99Ms }: BucketSum) => Math.max(0, p99Ms - p50Ms) },
        ]}
        show=${(value: number) => `${figureText(value)} ms`}
      />
      <${DayChart} title=${say('Held by the guard')} buckets=${buckets} parts=${[{ name: word('held'), of: ({ held }: BucketSum) => held }]} show=${countText} />
    </div>
    <h3 class="counts-title">${say('Feed')}</h3>
    <${Loaded} polled=${feed}>${({ timeline }: Feed) => html`<div><${FeedTimeline} spans=${timeline} /><h3 class="counts-title">${say('Incidents')}</h3><${Incidents} timeline=${timeline} /></div>`}<//>
  </div>`;
}

/** All minutes that are known; new ones are requested, and those that other processes may have added to since. */
function useMinutes(): readonly Minute[] {
  const known = useRef<readonly Minute[]>([]);
  const sinceMs = Math.max(0, (known.current.at(-1)?.atMs ?? 0) - lateMs);
  const { value } = usePolled<Minutes>(`overview/minutes?since=${sinceMs}`, everyMs);
  useMemo(() => {
    const firstMs = value?.minutes[0]?.atMs ?? Number.POSITIVE_INFINITY;
    const before = known.current.filter(({ atMs }) => atMs < firstMs);
    known.current = [...before, ...(value?.minutes ?? [])].slice(-minutesMax);
  }, [value]);
  return known.current;
}

const minutesMax = 1_440;
const lateMs = 600_000;

interface DayChartProps {
  readonly title: string;
  readonly buckets: readonly Bucket[];
  /** From the bottom up. */
  readonly parts: readonly { readonly name: string; readonly of: (sum: BucketSum) => number }[];
  readonly show: (value: number) => string;
}

const step = 10;
const height = 60;

/** Small upright bars, one upon the other, oldest left. Where nothing is known there is no bar and no ground. */
function DayChart({ title, buckets, parts, show }: DayChartProps) {
  const totals = buckets.map(({ sum }) =>
    parts.reduce((total, { of }) => total + (sum === undefined ? 0 : of(sum)), 0),
  );
  const highest = Math.max(...totals, 0);
  const scale = highest === 0 ? 0 : (height - 4) / highest;
  const latest = buckets.findLastIndex(({ sum }) => sum !== undefined);
  const said = say('most {most}, last {last}', {
    most: show(highest),
    last: latest === -1 ? say('not known') : show(totals[latest]!),
  });
  return html`<figure class="day-chart">
    <figcaption><span>${title}</span> <small>${said}</small></figcaption>
    <svg viewBox=${`0 0 ${buckets.length * step} ${height}`} preserveAspectRatio="none" role="img" aria-label=${`${title}: ${said}`}>
      ${buckets.map(({ fromMs, toMs, sum }, at) => {
        if (sum === undefined) return null;
        let top = height - 2;
        const name = say('{from} to {to}: {text}', {
          from: localText(fromMs, 'time'),
          to: localText(toMs, 'time'),
          text: show(totals[at]!),
        });
        return html`<g key=${toMs}>
          <title>${name}</title>
          <rect class="ground" x=${at * step} y=${height - 2} width=${step} height="2" />
          ${parts.map(({ name: part, of }, index) => {
            const tall = of(sum) * scale;
            top -= tall;
            return html`<rect key=${part} class=${`part-${index}`} x=${at * step + 1} y=${top} width=${step - 2} height=${tall} />`;
          })}
        </g>`;
      })}
    </svg>
    <p class="scale small" aria-hidden="true"><span>${localText(buckets[0]!.fromMs, 'time')}</span><span>${say('now')}</span></p>
    ${parts.length > 1 && html`<p class="band-legend small">${parts.map(({ name }, index) => html`<span key=${name} class="day-name"><span class=${`mark part-${index}`}></span> ${name}</span>`)}</p>`}
  </figure>`;
}
