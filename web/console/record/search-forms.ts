import { useState } from 'preact/hooks';
import { localFieldText, parseLocal } from '../clock.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Field, useText } from '../parts/form.ts';
import { goTo, hrefWith } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { instantOf, instantText, keyTextOf, requestIdOf, symbolOf } from './questions.ts';

const untyped = { autocomplete: 'off', spellcheck: false, required: true };

interface FormProps {
  /** What the address asks for. */
  readonly query: URLSearchParams;
}

/** Goes where the answer is, if there is a question. */
function submitted(question: Readonly<Record<string, string>> | undefined): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    if (question !== undefined) goTo(hrefWith(['record'], question));
  };
}

export function RequestForm({ query }: FormProps) {
  const [text, setText] = useText(query.get('id') ?? '');
  const id = requestIdOf(text);
  const fault =
    id === undefined && text !== '' ? say('A request id has 32 digits and letters from a to f.') : undefined;
  return html`<form class="filter" onSubmit=${submitted(id === undefined ? undefined : { by: 'request', id })}>
    <div class="grow wide-field"><${Field} label=${say('Request id')} value=${text} onInput=${setText} hint=${say('X-Request-Id of the answer, or requestId of a problem.')} fault=${fault} more=${untyped} /></div>
    <button type="submit" class="main" disabled=${id === undefined}>${say('Search')}</button>
  </form>`;
}

export function InstantForm({ query }: FormProps) {
  const [symbolText, setSymbol] = useText(query.get('symbol') ?? '');
  const [text, setText] = useText(query.get('at') ?? '');
  const [symbol, atMs] = [symbolOf(symbolText), instantOf(text)];
  const isWrong = atMs === undefined && text !== '';
  const hint =
    atMs === undefined
      ? say('As 2026-11-22T12:00:03.120Z, without Z in your time; or milliseconds since the Unix epoch.')
      : instantText(atMs);
  const question = symbol === undefined || atMs === undefined ? undefined : { by: 'instant', symbol, at: text.trim() };
  return html`<form class="filter" onSubmit=${submitted(question)}>
    <${Field} label=${say('Symbol')} value=${symbolText} onInput=${setSymbol} hint=${say('As BTCCZK.')} more=${untyped} />
    <div class="grow wide-field"><${Field} label=${say('Instant')} value=${text} onInput=${setText} hint=${hint} fault=${isWrong ? say('Not an instant yet.') : undefined} more=${untyped} /></div>
    <button type="submit" class="main" disabled=${question === undefined}>${say('Search')}</button>
  </form>`;
}

const hourMs = 3_600_000;

/** The last hour and the minute that runs, as fields take it. */
function lastHour(): { readonly from: string; readonly to: string } {
  const nowMs = serverNowMs();
  return { from: localFieldText(nowMs - hourMs), to: localFieldText(nowMs + 60_000) };
}

export function KeyForm({ query }: FormProps) {
  const [usual] = useState(lastHour);
  const [text, setText] = useText(query.get('key') ?? '');
  const [from, setFrom] = useText(query.get('from') ?? usual.from);
  const [to, setTo] = useText(query.get('to') ?? usual.to);
  const [fromMs, toMs] = [parseLocal(from), parseLocal(to)];
  const isSpan = fromMs !== undefined && toMs !== undefined && fromMs < toMs;
  const key = keyTextOf(text);
  const question = isSpan && key !== '' ? { by: 'key', key, from, to } : undefined;
  return html`<form class="filter" onSubmit=${submitted(question)}>
    <${Field} label=${say('Key')} value=${text} onInput=${setText} hint=${say('Its id, or its last four characters.')} more=${untyped} />
    <${Field} label=${say('From')} type="datetime-local" value=${from} onInput=${setFrom} hint=${say('Your time.')} more=${{ required: true }} />
    <${Field} label=${say('To')} type="datetime-local" value=${to} onInput=${setTo} hint=${say('Your time.')} fault=${isSpan ? undefined : say('It has to be after From.')} more=${{ required: true }} />
    <button type="submit" class="main" disabled=${question === undefined}>${say('Search')}</button>
  </form>`;
}
