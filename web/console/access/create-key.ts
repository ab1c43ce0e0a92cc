import { useState } from 'preact/hooks';
import type { NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Field } from '../parts/field.ts';
import { useSubmitted } from '../parts/submitted.ts';

interface CreateKeyProps {
  readonly accountId: string;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** Asks for what a new key can have of its own; everything is optional. */
export function CreateKey({ accountId, onMade, onClose }: CreateKeyProps) {
  const [label, setLabel] = useState('');
  const [expires, setExpires] = useState('');
  const [limit, setLimit] = useState('');
  const { isBusy, problem, faultOf, submit } = useSubmitted<NewKey>(onMade);
  const expiresAtMs = parseLocal(expires);
  const send = (event: Event) => {
    event.preventDefault();
    void submit(() =>
      post<NewKey>('keys', {
        accountId,
        ...(label.trim() === '' ? {} : { label: label.trim() }),
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
        ...(limit.trim() === '' ? {} : { limitPerMinute: Number(limit) }),
      }),
    );
  };
  const isOfField = ['label', 'expiresAtMs', 'limitPerMinute'].some((field) => faultOf(field) !== undefined);
  const zone = localZoneText(expiresAtMs ?? serverNowMs());
  return html`<${Dialog} title="Create key" onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label="Label" value=${label} onInput=${setLabel} fault=${faultOf('label')} hint="What the key is for. Its holder reads it in notices." more=${{ maxlength: 100, autocomplete: 'off' }} />
      <${Field} label=${`Expires (your time, ${zone})`} type="datetime-local" value=${expires} onInput=${setExpires} fault=${faultOf('expiresAtMs')} hint=${expiresAtMs === undefined ? 'Empty: never.' : utcText(expiresAtMs)} />
      <${Field} label="Requests a minute" type="number" value=${limit} onInput=${setLimit} fault=${faultOf('limitPerMinute')} hint="Empty: the standard limit." more=${{ min: 1, step: 1, inputmode: 'numeric' }} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>Create key</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
  <//>`;
}
