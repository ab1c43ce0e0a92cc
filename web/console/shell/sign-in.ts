import { useEffect, useRef, useState } from 'preact/hooks';
import type { SignInMethods } from '../../generated/management-v1.d.ts';
import { get, type Problem, signIn } from '../api/client.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Field } from '../parts/form.ts';
import { showTitle } from '../parts/title.ts';
import { visit } from '../router.ts';
import { session } from '../state.ts';
import { useStore } from '../store.ts';
import { LanguageSwitch } from './language-switch.ts';

/** Asks for an operator token. What it was typed into is emptied at once; the address is kept to return to. */
export function SignIn() {
  const current = useStore(session);
  const form = useRef<HTMLFormElement>(null);
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  useEffect(() => {
    showTitle(say('Sign in'));
    form.current?.querySelector('input')?.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || token.trim() === '') return;
    setBusy(true);
    const outcome = await signIn(token.trim());
    setToken('');
    setBusy(false);
    if (!outcome.ok) {
      setProblem(outcome.problem);
      form.current?.querySelector('input')?.focus();
    }
  };
  const notice = current.state === 'out' ? current.notice : undefined;
  const provider = useProvider();
  const [failure] = useState(takeFailure);
  return html`<main class="sign-in">
    <p class="brand"><img src="icon.svg" alt="" width="32" height="32" /> <span>Market Data API</span></p>
    <h1>${say('Operator console')}</h1>
    ${notice && html`<p class="note" role="status">${notice}</p>`}
    ${failure && html`<p class="note warn" role="alert">${failure}</p>`}
    ${
      provider &&
      html`<p class="buttons"><button type="button" class="main" onClick=${() => visit('sign-in')}>${say('Sign in with {provider}', { provider })}</button></p>
        <p class="small">${say('Or with an operator token:')}</p>`
    }
    <form ref=${form} onSubmit=${submit}>
      <${Field}
        label=${say('Operator token')}
        type="password"
        value=${token}
        onInput=${setToken}
        fault=${problem && refusalText(problem)}
        more=${{ autocomplete: 'off', spellcheck: false, required: true }}
      />
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${say('Sign in')}</button></p>
      <p class="visually-hidden" role="alert">${problem && refusalText(problem)}</p>
    </form>
    <div class="how">
      <h2>${say('No token yet?')}</h2>
      <p>${say('Make one on the machine the service runs on. It is shown once.')}</p>
      <pre tabindex="0"><code>mdapi admin token --name you</code></pre>
      <p class="small">${say('The token is exchanged for a session cookie and is not kept by this page. A session ends by itself after a while, and when the token is revoked.')}</p>
    </div>
    <p class="buttons"><${LanguageSwitch} /></p>
  </main>`;
}

/** The host of the OpenID Connect provider, where one is configured. */
function useProvider(): string | undefined {
  const [provider, setProvider] = useState<string | undefined>(undefined);
  useEffect(() => {
    void get<SignInMethods>('session/methods').then((outcome) => {
      if (outcome.ok) setProvider(outcome.value.provider ?? undefined);
    });
  }, []);
  return provider;
}

const failures: Readonly<Record<string, string>> = {
  cancelled: say('The provider ended the sign-in without letting you in.'),
  expired: say('The sign-in took too long, or began in another browser. Try again.'),
  'no-role': say(
    'The provider knows you, but gives you no role here. Ask whoever runs this service: admin.oidc.roles of the configuration maps your groups to roles, and the log of the service says which claim was looked for and what came.',
  ),
  provider: say(
    'The sign-in failed between this service and the provider. Try again; the log of the service says why.',
  ),
  'too-many': say('Too many sign-ins from your address failed. Try again in a minute.'),
};

/** Why the provider sent the browser back without a session. A reload no longer shows it. */
function takeFailure(): string | undefined {
  const reason = new URLSearchParams(location.search).get('sign-in');
  if (reason === null) return undefined;
  history.replaceState(null, '', location.pathname + location.hash);
  return Object.hasOwn(failures, reason) ? failures[reason] : undefined;
}

function refusalText(problem: Problem): string {
  const wait = problem.kind === 'refused' && problem.retryAfterSeconds;
  return wait ? `${problem.detail} ${say('Try again in {span}.', { span: spanText(wait * 1_000) })}` : problem.detail;
}
