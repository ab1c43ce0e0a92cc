import type { VNode } from 'preact';
import type { Rate, RateList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { heldRateWhys, rateFaults } from '../czech/rates.ts';
import { grouped, signedPercent } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { dayText, spanText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { language, say, type Text, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Missing, Section, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';

const ratesEveryMs = 5_000;

/** The conversion rates: what is in force, what the second source says, and what is held and can be settled. */
export function RatesSection() {
  const rates = usePolled<RateList>('rates', ratesEveryMs);
  return html`<${Section} title=${say('Conversion rates')}>
    <${Loaded} polled=${rates}>${(body: RateList) => html`<${Rates} rates=${body.rates} receivedAtMs=${rates.receivedAtMs} onChanged=${rates.refresh} />`}<//>
  <//>`;
}

interface RatesProps {
  readonly rates: readonly Rate[];
  readonly receivedAtMs: number;
  readonly onChanged: () => void;
}

function Rates({ rates, receivedAtMs, onChanged }: RatesProps) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  if (rates.length === 0)
    return html`<${Empty} title=${say('No quote currency is converted.')}>${say('Name one under pricing.converted in the configuration.')}<//>`;
  return html`<div>
    ${rates.map((rate) => html`<${RateDoubt} key=${rate.quote} rate=${rate} />`)}
    ${rates.map((rate) => html`<${RateUnread} key=${rate.quote} rate=${rate} />`)}
    <${TableFrame} label=${say('Conversion rates')}><table>
      <thead><tr><th scope="col">${say('Pair')}</th><th scope="col" class="number">${say('Mid rate')}</th><th scope="col" class="number">${say('Inverse')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Source')}</th><th scope="col">${say('Read')}</th><th scope="col">${say('Valid until')}</th><th scope="col">${say('Second source')}</th><th scope="col" class="number">${say('Difference')}</th><th scope="col" class="number">${say('Margin')}</th></tr></thead>
      <tbody>${rates.map((rate) => html`<${RateRow} key=${rate.quote} rate=${rate} laterMs=${laterMs} />`)}</tbody>
    </table><//>
    ${rates.map((rate) => html`<${RateActions} key=${rate.quote} rate=${rate} onChanged=${onChanged} />`)}
  </div>`;
}

/** What is not believed of a rate, in one sentence. */
function RateDoubt({ rate: { via, quote, mid, valid, confirmed, held } }: { rate: Rate }) {
  const subject = `${via}/${quote}`;
  if (held !== null) {
    const why = language === 'cs' ? heldRateWhys[held.reason] : held.why;
    const change = held.changePercent === null ? '' : ` (${signedPercent(held.changePercent)})`;
    const values = { rate: grouped(held.mid), change, instant: html`<${When} atMs=${held.sinceMs} />`, why };
    return html`<div class="note warn"><p><strong>${tell('The rate of {subject} is held.', { subject })}</strong> ${tell('Its source says <code>{rate}</code>{change} since {instant}: {why}.', values)} ${servedText(valid, mid)}</p></div>`;
  }
  if (confirmed || mid === null) return null;
  return html`<div class="note warn"><p>${tell('Nothing but its source has ever said the rate of {subject}, <code>{mid}</code>: compare it and accept it.', { subject, mid: grouped(mid) })}</p></div>`;
}

/** That the last reading failed or was refused: the rate in force goes on until its validity ends. */
function RateUnread({ rate: { via, quote, mid, valid, lastOutcome, lastFault } }: { rate: Rate }) {
  if (lastOutcome === null || lastOutcome === 'ok') return null;
  const values = { subject: `${via}/${quote}`, outcome: saidText(lastOutcome, lastFault, rateFaults) };
  return html`<div class="note warn"><p>${tell('The last reading of the rate of {subject} gave nothing: {outcome}.', values)} ${servedText(valid, mid)}</p></div>`;
}

function servedText(valid: boolean, mid: string | null): Content {
  if (!valid || mid === null) return say('Converted markets have no price.');
  return tell('<code>{mid}</code> stays in force.', { mid: grouped(mid) });
}

function RateRow({ rate, laterMs }: { rate: Rate; laterMs: number }) {
  const none = html`<${Missing}>–<//>`;
  const { second } = rate;
  return html`<tr>
    <th scope="row">${rate.via}/${rate.quote}</th>
    <td class="number"><span class="exact">${rate.mid === null ? none : grouped(rate.mid)}</span></td>
    <td class="number"><span class="exact">${rate.inverse === null ? none : grouped(rate.inverse)}</span></td>
    <td><${State} rate=${rate} /></td>
    <td>${rate.source}<${Fixing} date=${rate.fixingDate} /></td>
    <td>${rate.ageMs === null ? none : say('{span} ago', { span: spanText(rate.ageMs + laterMs) })}</td>
    <td>${rate.validUntilMs === null ? none : html`<${When} atMs=${rate.validUntilMs} />`}</td>
    <td>${second === null ? none : html`<${SecondSource} second=${second} />`}</td>
    <td class="number">${second === null || second.differencePercent === null ? none : differenceText(second)}</td>
    <td class="number">${grouped(rate.marginPercent)} %</td>
  </tr>`;
}

function State({ rate: { valid, heldAtMs, held } }: { rate: Rate }) {
  if (!valid) return html`<${Badge} state="not valid" tone="bad" />`;
  if (heldAtMs !== null) return html`<${Badge} state="held" tone="warn" />`;
  return held === null ? html`<${Badge} state="valid" tone="good" />` : html`<${Badge} state="doubted" tone="warn" />`;
}

type Second = NonNullable<Rate['second']>;

function SecondSource({ second: { source, mid, fixingDate, lastOutcome, lastFault } }: { second: Second }) {
  if (mid === null)
    return html`<span>${source}: ${lastOutcome === null ? word('not read yet') : saidText(lastOutcome, lastFault, rateFaults)}</span>`;
  return html`<span>${`${source}: ${grouped(mid)}`}<${Fixing} date=${fixingDate} /></span>`;
}

/** The day of a fixing, under what was fixed on it. */
function Fixing({ date }: { date: string | null }) {
  return date === null ? null : html`<br /><small>${dayText(date)}</small>`;
}

function differenceText({ differencePercent, agrees }: Second): Content {
  const text = signedPercent(differencePercent!);
  return agrees === false ? html`<${Badge} state="apart" tone="bad">${text}<//>` : text;
}

function RateActions({ rate, onChanged }: { rate: Rate; onChanged: () => void }) {
  const acceptable = rate.held?.mid ?? (rate.confirmed ? null : rate.mid);
  return html`<${Allowed} role="operator"><p class="buttons">
    ${acceptable !== null && html`<${ActionButton} action="accept" mid=${acceptable} rate=${rate} onChanged=${onChanged} />`}
    <${ActionButton} action=${rate.heldAt === null ? 'hold' : 'release'} mid=${null} rate=${rate} onChanged=${onChanged} />
  </p><//>`;
}

type Action = 'accept' | 'hold' | 'release';

interface ActionTexts {
  readonly button: Text;
  readonly done: Text;
  readonly isMain: boolean;
  readonly text: (mid: string) => VNode;
}

function ActionButton(props: { action: Action; mid: string | null; rate: Rate; onChanged: () => void }) {
  const { action, mid, onChanged } = props;
  const { via, quote } = props.rate;
  const { button, done, isMain, text } = actions[action];
  const title = say(button, { pair: `${via}/${quote}` });
  return html`<${ConfirmButton}
    text=${title}
    className=${isMain ? 'main' : undefined}
    title=${`${title}?`}
    action=${title}
    act=${() => post<Rate>(`rates/${quote}/${action}`, mid === null ? {} : { mid })}
    onDone=${() => {
      toast(say(done, { pair: `${via}/${quote}` }));
      onChanged();
    }}
  >${text(mid ?? '')}<//>`;
}

const actions: Readonly<Record<Action, ActionTexts>> = {
  accept: {
    button: 'Accept the rate {pair}',
    done: 'The rate {pair} is accepted.',
    // What is doubted is mostly wrong: nothing invites to press it.
    isMain: false,
    text: (mid) =>
      html`<p>${tell('<code>{mid}</code> is in force at once, and all converted prices are made with it. Compare it with the bank first, the inverse too.', { mid: grouped(mid) })}</p>`,
  },
  hold: {
    button: 'Hold the rate {pair}',
    done: 'The rate {pair} is held.',
    isMain: false,
    text: () =>
      html`<p>${say('The one in force stays, whatever comes, until it is released or its validity ends, and counts as confirmed.')}</p>`,
  },
  release: {
    button: 'Release the rate {pair}',
    done: 'The rate {pair} is released.',
    isMain: true,
    text: () => html`<p>${say("The operator's hold ends, and the next reading is judged as usual.")}</p>`,
  },
};
