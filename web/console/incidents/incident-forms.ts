import { useState } from 'preact/hooks';
import type { FoundOutage, Incident } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { InstantField, useSubmitted } from '../parts/form.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';
import {
  type OpenState,
  type Part,
  PartsChoice,
  StateChoice,
  type Typed,
  Wording,
  WritingDialog,
  written,
} from './writing.ts';

const nothing: Typed = { en: '', cs: '' };
/** As long as the service takes. */
const max = { title: 120, text: 2_000, review: 8_000 } as const;
const minuteMs = 60_000;

interface FormProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface ChangeProps extends FormProps {
  readonly incident: Incident;
}

/** Sends what is written to the service; then it is told and the form closed. */
function useWriting(path: string, done: string, { onDone, onClose }: FormProps) {
  const { submit, ...sending } = useSubmitted<Incident>(() => {
    toast(done);
    onClose();
    onDone();
  });
  return { ...sending, send: (body: object) => void submit(() => post<Incident>(path, body)) };
}

function pathOf({ id }: Incident, action: 'update' | 'close'): string {
  return `incidents/${encodeURIComponent(id)}/${action}`;
}

const textHint = say(
  'In English, plain text; addresses become links. Czech readers see the English where there is no Czech.',
);

/** Opens an incident; with an outage that was found it tells of that. */
export function OpenForm({ outage, ...form }: FormProps & { readonly outage?: FoundOutage }) {
  const [title, setTitle] = useState(nothing);
  const [text, setText] = useState(nothing);
  const [parts, setParts] = useState<readonly Part[]>(outage === undefined ? [] : [outage.part]);
  const [state, setState] = useState<OpenState>('investigating');
  const [from, setFrom] = useState('');
  const { isBusy, problem, faultOf, send } = useWriting('incidents', say('The incident is on the status page.'), form);
  const fromMs = parseLocal(from);
  const body = {
    ...written('title', title),
    ...written('text', text),
    parts,
    state,
    ...(outage !== undefined && { found: outage.id }),
    ...(fromMs !== undefined && { fromMs }),
  };
  const heading = outage === undefined ? say('Open an incident') : say('Write about the outage');
  return html`<${WritingDialog} title=${heading} action=${say('Publish')} isBusy=${isBusy} problem=${problem} onSend=${() => send(body)} onClose=${form.onClose}>
    <${Wording} label=${say('Title')} name="title" value=${title} onChange=${setTitle} faultOf=${faultOf} max=${max.title} isRequired />
    <${Wording} label=${say('What is known')} name="text" value=${text} onChange=${setText} faultOf=${faultOf} max=${max.text} rows=${4} hint=${textHint} isRequired />
    <div class="pair">
      <${PartsChoice} value=${parts} onChange=${setParts} fault=${faultOf('parts')} />
      <${StateChoice} value=${state} onChange=${setState} />
    </div>
    ${outage === undefined && html`<${Since} from=${from} setFrom=${setFrom} fault=${faultOf('fromMs')} />`}
  <//>`;
}

/** When it began, where that was not now. */
function Since({ from, setFrom, fault }: { from: string; setFrom: (text: string) => void; fault: string | undefined }) {
  if (from === '')
    return html`<p class="small">${say('It begins now.')} <button type="button" onClick=${() => setFrom(localFieldText(serverNowMs()))}>${say('It began earlier')}</button></p>`;
  return html`<${InstantField} label=${say('Began')} text=${from} setText=${setFrom} atMs=${parseLocal(from)} fault=${fault}>
    ${[5, 15, 60].map((minutes) => html`<button key=${minutes} type="button" onClick=${() => setFrom(localFieldText(serverNowMs() - minutes * minuteMs))}>${say('{minutes} min ago', { minutes })}</button>`)}
  <//>`;
}

/** Adds an update, which is dated now. */
export function UpdateForm({ incident, ...form }: ChangeProps) {
  const [text, setText] = useState(nothing);
  const [state, setState] = useState(incident.state as OpenState);
  const path = pathOf(incident, 'update');
  const { isBusy, problem, faultOf, send } = useWriting(path, say('The update is on the status page.'), form);
  const body = { ...written('text', text), state };
  return html`<${WritingDialog} title=${say('Add an update')} action=${say('Publish')} isBusy=${isBusy} problem=${problem} onSend=${() => send(body)} onClose=${form.onClose}>
    <${StateChoice} value=${state} onChange=${setState} />
    <${Wording} label=${say('What is new')} name="text" value=${text} onChange=${setText} faultOf=${faultOf} max=${max.text} rows=${4} hint=${textHint} isRequired />
    <p class="small">${say('An update is dated now and stays as it is. Subscribers are told of it.')}</p>
  <//>`;
}

/** Resolves it, for good. */
export function CloseForm({ incident, ...form }: ChangeProps) {
  const [text, setText] = useState(nothing);
  const [review, setReview] = useState(nothing);
  const path = pathOf(incident, 'close');
  const { isBusy, problem, faultOf, send } = useWriting(path, say('The incident is closed.'), form);
  const body = { ...written('text', text), ...written('review', review) };
  return html`<${WritingDialog} title=${say('Close the incident?')} action=${say('Close the incident')} isBusy=${isBusy} problem=${problem} onSend=${() => send(body)} onClose=${form.onClose}>
    <p>${say('It is then resolved, which is final. Its review can also be written later.')}</p>
    <${Wording} label=${say('The last update')} name="text" value=${text} onChange=${setText} faultOf=${faultOf} max=${max.text} rows=${3} hint=${textHint} isRequired />
    <${Wording} label=${say('Review')} name="review" value=${review} onChange=${setReview} faultOf=${faultOf} max=${max.review} rows=${4} hint=${say('What was learnt, where it is known already.')} />
  <//>`;
}

/** Writes what was learnt, or writes it anew. */
export function ReviewForm({ incident, ...form }: ChangeProps) {
  const [review, setReview] = useState<Typed>({ en: incident.review ?? '', cs: incident.reviewCs ?? '' });
  const path = pathOf(incident, 'update');
  const { isBusy, problem, faultOf, send } = useWriting(path, say('The review is on the status page.'), form);
  return html`<${WritingDialog} title=${say('Review')} action=${say('Publish')} isBusy=${isBusy} problem=${problem} onSend=${() => send(written('review', review))} onClose=${form.onClose}>
    <${Wording} label=${say('What was learnt')} name="review" value=${review} onChange=${setReview} faultOf=${faultOf} max=${max.review} rows=${8} hint=${textHint} isRequired />
  <//>`;
}

/** Changes the title and the parts. */
export function RenameForm({ incident, ...form }: ChangeProps) {
  const [title, setTitle] = useState<Typed>({ en: incident.title, cs: incident.titleCs ?? '' });
  const [parts, setParts] = useState<readonly Part[]>(incident.parts);
  const path = pathOf(incident, 'update');
  const { isBusy, problem, faultOf, send } = useWriting(path, say('The incident is changed.'), form);
  const body = { ...written('title', title), parts };
  return html`<${WritingDialog} title=${say('Title and parts')} action=${say('Change them')} isBusy=${isBusy} problem=${problem} onSend=${() => send(body)} onClose=${form.onClose}>
    <${Wording} label=${say('Title')} name="title" value=${title} onChange=${setTitle} faultOf=${faultOf} max=${max.title} isRequired />
    <${PartsChoice} value=${parts} onChange=${setParts} fault=${faultOf('parts')} />
    <p class="small">${say('Subscribers are not told of this.')}</p>
  <//>`;
}
