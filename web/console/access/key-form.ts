import { useState } from 'preact/hooks';
import type { Key } from '../../generated/management-v1.d.ts';
import type { Outcome } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Field, useSubmitted } from '../parts/form.ts';
import { serverNowMs } from '../state.ts';

/** What a key has of its own; null where the default holds. */
export type KeyFields = Pick<Key, 'label' | 'expiresAtMs' | 'limitPerMinute'>;

interface KeyFormProps<Answer> {
  /** Of the dialog and of its button. */
  readonly title: string;
  readonly initial?: KeyFields;
  readonly send: (fields: KeyFields) => Promise<Outcome<Answer>>;
  readonly onDone: (answer: Answer) => void;
  readonly onClose: () => void;
}

/** Asks for what a key can have of its own; everything is optional. */
export function KeyForm<Answer>({ title, initial, send, onDone, onClose }: KeyFormProps<Answer>) {
  const [label, setLabel] = useState(initial?.label ?? '');
  const known = initial?.expiresAtMs ?? undefined;
  const knownText = known === undefined ? '' : localFieldText(known);
  const [expires, setExpires] = useState(knownText);
  const [limit, setLimit] = useState(String(initial?.limitPerMinute ?? ''));
  const { isBusy, problem, faultOf, submit } = useSubmitted<Answer>(onDone);
  // The field knows no seconds: what was not touched stays as it is.
  const expiresAtMs = expires === knownText ? known : parseLocal(expires);
  const submitted = (event: Event) => {
    event.preventDefault();
    const limitPerMinute = limit.trim() === '' ? null : Number(limit);
    void submit(() => send({ label: label.trim(), expiresAtMs: expiresAtMs ?? null, limitPerMinute }));
  };
  const isOfField = ['label', 'expiresAtMs', 'limitPerMinute'].some((field) => faultOf(field) !== undefined);
  const zone = localZoneText(expiresAtMs ?? serverNowMs());
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submitted}>
      <${Field} label=${say('Label')} value=${label} onInput=${setLabel} fault=${faultOf('label')} hint=${say('What the key is for. Its holder reads it in notices.')} more=${{ maxlength: 100, autocomplete: 'off' }} />
      <${Field} label=${say('Expires (your time, {zone})', { zone })} type="datetime-local" value=${expires} onInput=${setExpires} fault=${faultOf('expiresAtMs')} hint=${expiresAtMs === undefined ? say('Empty: never.') : utcText(expiresAtMs)} />
      <${Field} label=${say('Requests a minute')} type="number" value=${limit} onInput=${setLimit} fault=${faultOf('limitPerMinute')} hint=${say('Empty: the standard limit.')} more=${{ min: 1, step: 1, inputmode: 'numeric' }} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${title}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
  <//>`;
}
