import { useState } from 'preact/hooks';
import type { Account } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Choice, Field, useSubmitted } from '../parts/form.ts';

interface EmailFormProps {
  /** Of the dialog and of its button. */
  readonly title: string;
  readonly initial?: string;
  /** The language of notices to it; none where the service’s holds. */
  readonly language?: string | null;
  readonly hint: string;
  /** The operation of the API that takes the address. */
  readonly path: string;
  readonly onDone: (account: Account) => void;
  readonly onClose: () => void;
}

/** Asks for the e-mail address of an account, and the language of what is sent there. */
export function EmailForm({ title, initial = '', language, hint, path, onDone, onClose }: EmailFormProps) {
  const [email, setEmail] = useState(initial);
  const [chosen, setChosen] = useState(language ?? '');
  const usual = language ? [] : [['', say('as configured')] as const];
  const { isBusy, problem, faultOf, submit } = useSubmitted<Account>(onDone);
  const send = (event: Event) => {
    event.preventDefault();
    void submit(() => post<Account>(path, { email: email.trim(), ...(chosen !== '' && { language: chosen }) }));
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label=${say('E-mail')} type="email" value=${email} onInput=${setEmail} fault=${faultOf('email')} hint=${hint} more=${{ required: true, autocomplete: 'off' }} />
      <${Choice} label=${say('Language of notices')} value=${chosen} options=${[...usual, ['en', 'English'], ['cs', 'Čeština']] as const} onChange=${setChosen} />
      ${problem && faultOf('email') === undefined && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${title}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
  <//>`;
}
