import { useState } from 'preact/hooks';
import type { Account } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Field, useSubmitted } from '../parts/form.ts';

interface EmailFormProps {
  /** Of the dialog and of its button. */
  readonly title: string;
  readonly initial?: string;
  readonly hint: string;
  /** The operation of the API that takes the address. */
  readonly path: string;
  readonly onDone: (account: Account) => void;
  readonly onClose: () => void;
}

/** Asks for the e-mail address of an account. */
export function EmailForm({ title, initial = '', hint, path, onDone, onClose }: EmailFormProps) {
  const [email, setEmail] = useState(initial);
  const { isBusy, problem, faultOf, submit } = useSubmitted<Account>(onDone);
  const send = (event: Event) => {
    event.preventDefault();
    void submit(() => post<Account>(path, { email: email.trim() }));
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label=${say('E-mail')} type="email" value=${email} onInput=${setEmail} fault=${faultOf('email')} hint=${hint} more=${{ required: true, autocomplete: 'off' }} />
      ${problem && faultOf('email') === undefined && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${title}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
  <//>`;
}
