import { useState } from 'preact/hooks';
import type { Term, TermEffect } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { termConcerns } from '../czech/said.ts';
import { counted, grouped, signedPercent, typedDecimal } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { Missing, ProblemBlock, When } from '../parts/blocks.ts';
import { Confirm } from '../parts/dialog.ts';
import { Choice, Field, InstantField, useSubmitted } from '../parts/form.ts';
import { Preview, usePreview } from '../parts/preview.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';

const hourMs = 3_600_000;
const scopes = [
  ['service', say('the whole service')],
  ['quote', say('a quote currency')],
  ['market', say('a market')],
] as const;
const roundings = [
  ['', say('as it is')],
  ['outward', say('outward: buy up, sell down')],
  ['nearest', say('nearest: half to even')],
  ['inherit', say('inherit')],
] as const;

const inherit = 'inherit';
const empty = { scope: 'service', subject: '', feePercent: '', marginPercent: '', pricePrecision: '', rounding: '' };
type Values = typeof empty;
const valueFields = ['feePercent', 'marginPercent', 'pricePrecision', 'rounding'] as const;

interface FormProps {
  readonly onSet: () => void;
  readonly onClose: () => void;
}

/** Sets values from an instant on, with the prices before and after beside it. */
export function TermForm({ onSet, onClose }: FormProps) {
  const [values, setValues] = useState<Values>(empty);
  const [from, setFrom] = useState(() => localFieldText(nextHour()));
  const [isAsking, setAsking] = useState(false);
  const done = () => {
    toast(say('The term is set.'));
    onSet();
  };
  const { isBusy, problem, faultOf, submit } = useSubmitted<Term>(done, onSet);
  const change = (field: keyof Values) => (text: string) => setValues({ ...values, [field]: text });
  const typedFaults = faultsIn(values);
  const wanted = Object.keys(typedFaults).length > 0 ? undefined : draftOf(values, parseLocal(from));
  const outcome = usePreview<TermEffect>('terms/preview', wanted);
  const concerns = outcome?.ok === true ? concernTexts(outcome.value) : [];
  const isForService = values.scope === 'service';
  const send = (event: Event) => {
    event.preventDefault();
    if (wanted === undefined) return;
    if (concerns.length > 0) setAsking(true);
    else void submit(() => post<Term>('terms', wanted));
  };
  const isOfField = ['subject', 'feePercent', 'fromMs'].some((field) => faultOf(field) !== undefined);
  const percent = { inputmode: 'decimal', autocomplete: 'off', maxlength: 24 };
  return html`<div class="announce">
    <form class="panel" onSubmit=${send}>
      <h2>${say('Set a term')}</h2>
      <p class="hint">${tell('What is left empty stays as it is. <code>inherit</code> takes a value from the next wider scope again.')}</p>
      <div class="fields">
        <${Choice} label=${say('For')} className=${isForService ? 'field whole' : 'field'} value=${values.scope} options=${scopes} onChange=${change('scope')} />
        ${
          !isForService &&
          html`<${Field} label=${say(values.scope === 'market' ? 'Market' : 'Quote currency')} value=${values.subject} onInput=${change('subject')} fault=${faultOf('subject')} more=${{ required: true, maxlength: 32, autocapitalize: 'characters', autocomplete: 'off', spellcheck: false }} />`
        }
        <${Field} label=${say('Fee in percent')} value=${values.feePercent} onInput=${change('feePercent')} fault=${typedFaults.feePercent ?? faultOf('feePercent')} hint=${say('As 0.4 or 0,4.')} more=${percent} />
        ${!isForService && html`<${Field} label=${say('Currency margin in percent')} value=${values.marginPercent} onInput=${change('marginPercent')} fault=${typedFaults.marginPercent} more=${percent} />`}
        ${!isForService && html`<${Field} label=${say('Decimals')} value=${values.pricePrecision} onInput=${change('pricePrecision')} fault=${typedFaults.pricePrecision} more=${{ autocomplete: 'off', maxlength: 7 }} />`}
        <${Choice} label=${say('Rounding')} value=${values.rounding} options=${roundings} onChange=${change('rounding')} />
      </div>
      <${InstantField} label=${say('From')} text=${from} setText=${setFrom} atMs=${parseLocal(from)} fault=${faultOf('fromMs')}>
        <button type="button" onClick=${() => setFrom(localFieldText(serverNowMs()))}>${say('Now')}</button>
        <button type="button" onClick=${() => setFrom(localFieldText(nextHour()))}>${say('Next hour')}</button>
      <//>
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy || wanted === undefined}>${say('Set')}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
    <${Preview} title=${say('Prices before and after')} hint=${say('Fill in the form, and the prices appear here.')} outcome=${outcome}>
      ${(effect: TermEffect) => html`<${Shown} effect=${effect} />`}
    <//>
    ${
      isAsking &&
      html`<${Confirm} title=${say('Is it meant so?')} action=${say('Set it')} isDangerous act=${() => post<Term>('terms', { ...wanted, confirm: true })} onDone=${done} onProposed=${onSet} onClose=${() => setAsking(false)}>
        <ul>${concerns.map((concern) => html`<li key=${concern}>${concern}</li>`)}</ul>
      <//>`
    }
  </div>`;
}

/** Why a typed value cannot be meant, in a sentence, by its field. */
function faultsIn(values: Values): Partial<Record<(typeof valueFields)[number], string>> {
  const faults = valueFields.flatMap((field) => {
    const text = values[field].trim();
    if (text === '' || text === inherit || field === 'rounding' || (values.scope === 'service' && !isForAll(field)))
      return [];
    if (field === 'pricePrecision')
      return /^\d+$/.test(text)
        ? []
        : [[field, say('“{text}” is not a whole number. Write digits only, or inherit.', { text })]];
    return /^\d+(\.\d+)?$/.test(typedDecimal(text))
      ? []
      : [[field, say('“{text}” is not a decimal. Write digits and one comma or point, as in 0.4.', { text })]];
  });
  return Object.fromEntries(faults);
}

function nextHour(): number {
  return Math.ceil((serverNowMs() + 1) / hourMs) * hourMs;
}

/** What is sent; `undefined` while something is missing. A minute that has begun is meant as now. */
function draftOf({ scope, subject, ...values }: Values, fromMs: number | undefined): object | undefined {
  const used = valueFields.filter((field) => values[field].trim() !== '' && (scope !== 'service' || isForAll(field)));
  if (fromMs === undefined || used.length === 0 || (scope !== 'service' && subject.trim() === '')) return undefined;
  const inherits = used.filter((field) => values[field].trim() === inherit);
  const given = used
    .filter((field) => !inherits.includes(field))
    .map((field) => [field, typed(field, values[field].trim())]);
  const isNow = Math.abs(fromMs - serverNowMs()) < 60_000 && fromMs <= serverNowMs();
  return {
    scope,
    ...(scope === 'service' ? {} : { subject: subject.trim().toUpperCase() }),
    ...(isNow ? {} : { fromMs }),
    ...Object.fromEntries(given),
    ...(inherits.length === 0 ? {} : { inherits }),
  };
}

function isForAll(field: (typeof valueFields)[number]): boolean {
  return field === 'feePercent' || field === 'rounding';
}

function typed(field: (typeof valueFields)[number], text: string): string | number {
  return field === 'pricePrecision' && /^\d+$/.test(text) ? Number(text) : typedDecimal(text);
}

function concernTexts({ concerns, concernCodes }: TermEffect): string[] {
  return concerns.map((concern, at) => saidText(concern, concernCodes[at], termConcerns));
}

/** The prices before and after a term, and what may be a mistake. */
export function Shown({ effect }: { effect: TermEffect }) {
  const { fromMs, affected, changes } = effect;
  const concerns = concernTexts(effect);
  return html`<div>
    ${concerns.length > 0 && html`<div class="note warn"><p><strong>${say('It may be a mistake.')}</strong></p><ul>${concerns.map((concern) => html`<li key=${concern}>${concern}</li>`)}</ul></div>`}
    <p>${affected === 0 ? say('No market changes: this holds already, or a narrower term does.') : tell('{markets} from {instant}, at the present prices of the exchange:', { markets: counted(affected, 'market'), instant: html`<${When} atMs=${fromMs} as="full" />` })}</p>
    ${
      affected > 0 &&
      html`<${TableFrame} label=${say('Prices of markets')}><table>
        <thead><tr><th scope="col">${say('Market')}</th><th scope="col" class="number">${say('Buy')}</th><th scope="col" class="number">${say('Sell')}</th></tr></thead>
        <tbody>${changes.map(
          ({ symbol, before, after: then, buyChangePercent, sellChangePercent }) => html`<tr key=${symbol}>
            <th scope="row">${symbol}</th>
            <td class="number"><${Move} from=${before?.buyPrice} to=${then?.buyPrice} percent=${buyChangePercent} /></td>
            <td class="number"><${Move} from=${before?.sellPrice} to=${then?.sellPrice} percent=${sellChangePercent} /></td>
          </tr>`,
        )}</tbody>
      </table><//>`
    }
    ${affected > changes.length && html`<p class="hint">${say('And {markets}.', { markets: counted(affected - changes.length, 'more market') })}</p>`}
  </div>`;
}

interface MoveProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly percent: string | null;
}

/** `51 223.8 → 53 517.4`, and by how much below. */
function Move({ from, to, percent }: MoveProps) {
  const price = (text: string | undefined) =>
    text === undefined ? html`<${Missing}>${say('no price')}<//>` : grouped(text);
  return html`<span>${price(from)} → ${price(to)}${percent !== null && html`<br /><small>${signedPercent(percent)}</small>`}</span>`;
}
