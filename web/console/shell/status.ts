import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Overview } from '../../generated/management-v1.d.ts';
import { nowMs } from '../clock.ts';
import { figureText } from '../format/decimal.ts';
import { localText, spanText, utcText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { say, tell } from '../language.ts';
import { type Polled, usePolled, useTicking } from '../live/polled.ts';
import { Badge, When } from '../parts/blocks.ts';
import { hrefTo } from '../router.ts';
import { lostSince, noteServerTime, serverNowMs } from '../state.ts';
import { useStore } from '../store.ts';

const everyMs = 2_000;
const OverviewContext = createContext<Polled<Overview> | undefined>(undefined);

/** Asks for the overview once for the whole page: its answers also show that the service is reachable. */
export function OverviewProvider({ children }: { children?: Content }) {
  const polled = usePolled<Overview>('overview', everyMs);
  const { value } = polled;
  useEffect(() => {
    if (value !== undefined) noteServerTime(value.serverTimeMs);
  }, [value]);
  return html`<${OverviewContext.Provider} value=${polled}>${children}<//>`;
}

/** The latest overview. Only below an `OverviewProvider`. */
export function useOverview(): Polled<Overview> {
  const polled = useContext(OverviewContext);
  if (polled === undefined) throw new Error('useOverview is used outside OverviewProvider');
  return polled;
}

/** On every page: how the service is, how old the data, how busy, and what maintenance comes. */
export function StatusStrip() {
  const { value, receivedAtMs } = useOverview();
  const laterMs = useTicking() - receivedAtMs;
  if (value === undefined)
    return html`<section class="strip" aria-label=${say('Service')}><p class="loading">${say('Reading the service status …')}</p></section>`;
  const { status, dataAgeMs, requests } = value;
  return html`<section class="strip" aria-label=${say('Service')}>
    <${Item} name=${say('Service')}><${Badge} state=${status.status} /><//>
    <${Item} name=${say('Feed')}><${Badge} state=${status.components.ticker} /><//>
    <${Item} name=${say('Data')}><span class="figure">${dataAgeMs === null ? say('none yet') : say('{span} old', { span: spanText(dataAgeMs + Math.max(0, laterMs)) })}</span><//>
    <${Item} name=${say('Requests')}><span class="figure">${rateText(requests.perSecond)}</span><//>
    <${Item} name=${say('Maintenance')} className="strip-wide"><${Maintenance} status=${status} /><//>
    ${warningsOf(value).map((text) => html`<p key=${text} class="strip-warning"><${Badge} state=${text} tone="bad" /></p>`)}
  </section>`;
}

function Item({ name, className = '', children }: { name: string; className?: string; children?: Content }) {
  return html`<p class=${`strip-item ${className}`}><span class="strip-name">${name}</span> ${children}</p>`;
}

/** `0.4/s`, `124/s` */
export function rateText(perSecond: number): string {
  return `${figureText(perSecond)}/s`;
}

function Maintenance({ status: { maintenance } }: { status: Overview['status'] }) {
  if (maintenance === null) return html`<span class="figure">${say('none announced')}</span>`;
  const nowMs = serverNowMs();
  const { fromMs, toMs, description } = maintenance;
  const isRunning = fromMs <= nowMs;
  return html`<a href=${hrefTo('maintenance')} title=${say('{from} to {to}: {text}', { from: utcText(fromMs), to: utcText(toMs), text: description })}>
    ${isRunning ? say('running, {span} left', { span: spanText(toMs - nowMs) }) : html`${say('in {span}', { span: spanText(fromMs - nowMs) })}, <${When} atMs=${fromMs} />`}
  </a>`;
}

/** What an operator must know wherever they are. */
function warningsOf({ phase, ready, storeReachable }: Overview): readonly string[] {
  return [
    phase === 'draining' && say('the service is shutting down'),
    phase === 'starting' && say('the service is starting'),
    phase === 'serving' && !ready && say('not ready for traffic'),
    !storeReachable && say('the database does not answer'),
  ].filter((text): text is string => text !== false);
}

/** Says that the service does not answer and since when: what is shown below is from before. */
export function LostBanner() {
  const lostSinceMs = useStore(lostSince);
  const { refresh } = useOverview();
  return html`<div class="lost-banner" role="alert">
    ${
      lostSinceMs !== undefined &&
      html`<p>
        <strong>${say('No answer from the service since {time}.', { time: localText(lostSinceMs, 'second') })}</strong>${' '}
        ${tell('Everything below is from then: {span} old. Trying again by itself.', { span: html`<${Since} atMs=${lostSinceMs} />` })}
        <button type="button" onClick=${refresh}>${say('Try now')}</button>
      </p>`
    }
  </div>`;
}

/** Grows every second, unannounced: the alert is read out once. */
function Since({ atMs }: { atMs: number }) {
  useTicking();
  return html`<span aria-live="off">${spanText(nowMs() - atMs)}</span>`;
}
