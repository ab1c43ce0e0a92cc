import { useState } from 'preact/hooks';
import type { Term, TermEffect } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { counted, grouped, signedPercent } from '../format/decimal.ts';
import { html } from '../html.ts';
import { Missing, ProblemBlock, When } from '../parts/blocks.ts';
import { Confirm } from '../parts/dialog.ts';
import { Choice, Field, InstantField, useSubmitted } from '../parts/form.ts';
import { Preview, usePreview } from '../parts/preview.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';

const hourMs = 3_600_000;
const scopes = [
  ['service', 'the whole service'],
  ['quote', 'a quote currency'],
  ['market', 'a market'],
] as const;
const roundings = [
  ['', 'as it is'],
  ['outward', 'outward: buy up, sell down'],
  ['nearest', 'nearest: half to even'],
  ['inherit', 'inherit'],
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
    toast('The term is set.');
    onSet();
  };
  const { isBusy, problem, faultOf, submit } = useSubmitted<Term>(done);
  const change = (field: keyof Values) => (text: string) => setValues({ ...values, [field]: text });
  const wanted = draftOf(values, parseLocal(from));
  const outcome = usePreview<TermEffect>('terms/preview', wanted);
  const concerns = outcome?.ok === true ? outcome.value.concerns : [];
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
      <h2>Set a term</h2>
      <p class="hint">What is left empty stays as it is. <code>inherit</code> takes a value from the next wider scope again.</p>
      <div class="pair">
        <${Choice} label="For" value=${values.scope} options=${scopes} onChange=${change('scope')} />
        ${
          !isForService &&
          html`<${Field} label=${values.scope === 'market' ? 'Market' : 'Quote currency'} value=${values.subject} onInput=${change('subject')} fault=${faultOf('subject')} more=${{ required: true, maxlength: 32, autocapitalize: 'characters', autocomplete: 'off', spellcheck: false }} />`
        }
      </div>
      <div class="pair">
        <${Field} label="Fee in percent" value=${values.feePercent} onInput=${change('feePercent')} fault=${faultOf('feePercent')} more=${percent} />
        ${!isForService && html`<${Field} label="Currency margin in percent" value=${values.marginPercent} onInput=${change('marginPercent')} more=${percent} />`}
      </div>
      <div class="pair">
        ${!isForService && html`<${Field} label="Decimals" value=${values.pricePrecision} onInput=${change('pricePrecision')} more=${{ autocomplete: 'off', maxlength: 7 }} />`}
        <${Choice} label="Rounding" value=${values.rounding} options=${roundings} onChange=${change('rounding')} />
      </div>
      <${InstantField} label="From" text=${from} setText=${setFrom} atMs=${parseLocal(from)} fault=${faultOf('fromMs')}>
        <button type="button" onClick=${() => setFrom(localFieldText(serverNowMs()))}>Now</button>
        <button type="button" onClick=${() => setFrom(localFieldText(nextHour()))}>Next hour</button>
      <//>
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy || wanted === undefined}>Set</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
    <${Preview} title="Prices before and after" hint="Fill in the form, and the prices appear here." outcome=${outcome}>
      ${(effect: TermEffect) => html`<${Shown} effect=${effect} />`}
    <//>
    ${
      isAsking &&
      html`<${Confirm} title="Is it meant so?" action="Set it" isDangerous act=${() => post<Term>('terms', { ...wanted, confirm: true })} onDone=${done} onClose=${() => setAsking(false)}>
        <ul>${concerns.map((concern) => html`<li key=${concern}>${concern}</li>`)}</ul>
      <//>`
    }
  </div>`;
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
  return field === 'pricePrecision' && /^\d+$/.test(text) ? Number(text) : text;
}

function Shown({ effect: { fromMs, affected, changes, concerns } }: { effect: TermEffect }) {
  return html`<div>
    ${concerns.length > 0 && html`<div class="note warn"><p><strong>It may be a mistake.</strong></p><ul>${concerns.map((concern) => html`<li key=${concern}>${concern}</li>`)}</ul></div>`}
    <p>${affected === 0 ? 'No market changes: this holds already, or a narrower term does.' : html`${counted(affected, 'market')} from <${When} atMs=${fromMs} as="full" />, at the present prices of the exchange:`}</p>
    ${
      affected > 0 &&
      html`<${TableFrame} label="Prices of markets"><table>
        <thead><tr><th scope="col">Market</th><th scope="col" class="number">Buy</th><th scope="col" class="number">Sell</th></tr></thead>
        <tbody>${changes.map(
          ({ symbol, before, after: then, buyChangePercent, sellChangePercent }) => html`<tr key=${symbol}>
            <th scope="row">${symbol}</th>
            <td class="number"><${Move} from=${before?.buyPrice} to=${then?.buyPrice} percent=${buyChangePercent} /></td>
            <td class="number"><${Move} from=${before?.sellPrice} to=${then?.sellPrice} percent=${sellChangePercent} /></td>
          </tr>`,
        )}</tbody>
      </table><//>`
    }
    ${affected > changes.length && html`<p class="hint">And ${counted(affected - changes.length, 'more market')}.</p>`}
  </div>`;
}

interface MoveProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly percent: string | null;
}

/** `51 223.8 → 53 517.4`, and by how much below. */
function Move({ from, to, percent }: MoveProps) {
  const price = (text: string | undefined) => (text === undefined ? html`<${Missing}>no price<//>` : grouped(text));
  return html`<span>${price(from)} → ${price(to)}${percent !== null && html`<br /><small>${signedPercent(percent)}</small>`}</span>`;
}
