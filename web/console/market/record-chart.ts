import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Candle, RecordGap } from '../../generated/management-v1.d.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { counted, countText, grouped } from '../format/decimal.ts';
import { type Content, html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { Empty, ProblemBlock, When } from '../parts/blocks.ts';
import { Choice, Field } from '../parts/form.ts';
import { serverNowMs } from '../state.ts';
import { CandleChart, type PricePair } from './candle-chart.ts';
import {
  type ChartSpan,
  gapText,
  type Slot,
  type Step,
  slotsOf,
  stepsOf,
  usualSpans,
  usualStepOf,
} from './candle-spans.ts';
import { type Candles, useCandles } from './candles.ts';

const sides = {
  buy: {
    text: say('A client buys'),
    names: ['buyPrice', 'ask'],
    client: say('Client buys'),
    source: say('Source ask'),
  },
  sell: {
    text: say('A client sells'),
    names: ['sellPrice', 'bid'],
    client: say('Client sells'),
    source: say('Source bid'),
  },
} as const;

type Side = keyof typeof sides;

function endingNow(ms: number): ChartSpan {
  const toMs = serverNowMs();
  return { fromMs: toMs - ms, toMs, isLive: true };
}

/**
 * A market over any span of the record, in candles of the client's price and of the source's; at first the last hour,
 * live.
 */
export function RecordChart({ symbol }: { symbol: string }) {
  const [span, setSpan] = useState(() => endingNow(usualSpans[0].ms));
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const [side, setSide] = useState<Side>('buy');
  const step = stepsOf(span).find(({ name }) => name === wanted) ?? usualStepOf(span);
  const read = useCandles(symbol, span, step);
  return html`<div>
    <div class="filter">
      <${Choice} label=${say('Price')} value=${side} onChange=${setSide} options=${Object.entries(sides).map(([name, { text }]) => [name, text])} />
      <${Choice} label=${say('Candle')} value=${step.name} onChange=${setWanted} options=${stepsOf(span).map(({ name, text }) => [name, text])} />
    </div>
    <${SpanForm} span=${span} onSpan=${setSpan} />
    <${Drawing} symbol=${symbol} side=${side} read=${read} step=${step} />
  </div>`;
}

/** The usual spans at a press, any other by its ends. */
function SpanForm({ span, onSpan }: { span: ChartSpan; onSpan: (span: ChartSpan) => void }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  useEffect(() => {
    setFrom(localFieldText(span.fromMs));
    setTo(localFieldText(span.toMs));
  }, [span]);
  const [fromMs, toMs] = [parseLocal(from), parseLocal(to)];
  const own = fromMs !== undefined && toMs !== undefined && fromMs < toMs ? { fromMs, toMs, isLive: false } : undefined;
  const fault = own === undefined && to !== '' ? say('It has to be after From.') : undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (own !== undefined) onSpan(own);
  };
  return html`<form class="filter" onSubmit=${submit}>
    <span class="buttons" role="group" aria-label=${say('Span up to now')}>
      ${usualSpans.map(({ name, ms }) => html`<button key=${name} type="button" aria-pressed=${span.isLive && span.toMs - span.fromMs === ms} onClick=${() => onSpan(endingNow(ms))}>${name}</button>`)}
    </span>
    <${Field} label=${say('From')} type="datetime-local" value=${from} onInput=${setFrom} more=${{ required: true }} />
    <${Field} label=${say('To')} type="datetime-local" value=${to} onInput=${setTo} fault=${fault} more=${{ required: true }} />
    <button type="submit" disabled=${own === undefined}>${say('Show')}</button>
  </form>`;
}

interface DrawingProps {
  readonly symbol: string;
  readonly side: Side;
  readonly read: Candles;
  readonly step: Step;
}

function Drawing({ symbol, side, read, step }: DrawingProps) {
  const { span, candles, gaps, problem, isRecorded, done, pieces } = read;
  const [pointedMs, setPointedMs] = useState<number | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<CandleChart | undefined>(undefined);
  const slots = useMemo(() => slotsOf(candles, span, step), [candles, span, step]);
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = new CandleChart(box.current, setPointedMs);
    chart.current = made;
    return () => made.remove();
  }, [symbol]);
  useEffect(() => chart.current?.show(slots, sides[side].names, step.ms), [slots, side, symbol]);
  useEffect(() => chart.current?.fit(), [done, step, symbol]);
  if (!isRecorded) {
    return html`<${Empty} title=${say('There is no chart: this service records nothing.')}>${tell('Set <code>history.url</code> to record what is quoted.')}<//>`;
  }
  const isLoading = problem === undefined && done < pieces;
  return html`<figure class="chart">
    ${problem && html`<${ProblemBlock} problem=${problem} />`}
    <${ReadOut} slots=${slots} pointedMs=${pointedMs} side=${side} />
    <div ref=${box} class="chart-box" role="img" aria-label=${say('Candles of {symbol}, {step} each: {above} above, {below} below', { symbol, step: step.text, above: sides[side].client, below: sides[side].source })} data-candles=${candles.length}></div>
    <figcaption class="small">
      ${isLoading ? say('Reading the record, {count} of {all} …', { count: done, all: pieces }) : captionOf(candles.length, span)} ${tell('Charts by <a>TradingView</a> Lightweight Charts™.', { a: (text: Content) => html`<a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">${text}</a>` })}
    </figcaption>
    <${Gaps} gaps=${gaps} />
  </figure>`;
}

function captionOf(count: number, { isLive }: ChartSpan): string {
  if (count === 0) return say('No price is recorded in this span.');
  const candles = counted(count, 'candle');
  return `${isLive ? say('{candles} up to now, local time', { candles }) : say('{candles}, local time', { candles })}; ${say('filled where the price rose. A gap: no price, or no record.')}`;
}

interface ReadOutProps {
  readonly slots: readonly Slot[];
  readonly pointedMs: number | undefined;
  readonly side: Side;
}

/** The values under the pointer, to their last decimal; those of the last candle where there is no pointer. */
function ReadOut({ slots, pointedMs, side }: ReadOutProps) {
  const last = slots.findLast(({ candle }) => candle !== undefined);
  const slot = pointedMs === undefined ? last : slots.find(({ atMs }) => atMs === pointedMs);
  if (slot === undefined) return html`<p class="read-out"> </p>`;
  const { names, client, source } = sides[side];
  return html`<div class="read-out">
    <p><strong><${When} atMs=${slot.atMs} as="full" /></strong> ${slot.candle === undefined ? say('no price, or no record') : counted(slot.candle.changes, 'change')}</p>
    ${slot.candle !== undefined && names.map((name, at) => html`<${Values} key=${name} title=${at === 0 ? client : source} candle=${slot.candle} name=${name} />`)}
  </div>`;
}

function Values({ title, candle, name }: { title: string; candle: Candle; name: PricePair[number] }) {
  const { open, high, low, close } = candle[name];
  const values = { open, high, low, close };
  return html`<p>${title}: ${Object.entries(values).map(([what, value]) => html`<span key=${what}>${word(what)} <span class="exact">${grouped(value)}</span> </span>`)}</p>`;
}

const gapsShownMax = 10;

function Gaps({ gaps }: { gaps: readonly RecordGap[] }) {
  if (gaps.length === 0) return null;
  const more = gaps.length - gapsShownMax;
  return html`<div class="small">
    <p>${say('Not recorded:')}</p>
    <ul>
      ${gaps.slice(0, gapsShownMax).map((gap) => html`<li key=${gap.fromMs}>${gapText(gap)}</li>`)}
      ${more > 0 && html`<li>${say('and {count} more', { count: countText(more) })}</li>`}
    </ul>
  </div>`;
}
