import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemText, signIn } from '../api/client.ts';
import { html } from '../html.ts';
import { Field } from '../parts/form.ts';
import { session } from '../state.ts';
import { useStore } from '../store.ts';

/** Asks for an operator token. What it was typed into is emptied at once; the address is kept to return to. */
export function SignIn() {
  const current = useStore(session);
  const form = useRef<HTMLFormElement>(null);
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  useEffect(() => {
    document.title = 'Sign in · Market Data API';
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
  return html`<main class="sign-in">
    <p class="brand"><img src="icon.svg" alt="" width="32" height="32" /> <span>Market Data API</span></p>
    <h1>Operator console</h1>
    ${notice && html`<p class="note" role="status">${notice}</p>`}
    <form ref=${form} onSubmit=${submit}>
      <${Field}
        label="Operator token"
        type="password"
        value=${token}
        onInput=${setToken}
        fault=${problem && refusalText(problem)}
        more=${{ autocomplete: 'off', spellcheck: false, required: true }}
      />
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>Sign in</button></p>
      <p class="visually-hidden" role="alert">${problem && refusalText(problem)}</p>
    </form>
    <div class="how">
      <h2>No token yet?</h2>
      <p>Make one on the machine the service runs on. It is shown once.</p>
      <pre tabindex="0"><code>mdapi admin token --name you</code></pre>
      <p class="small">The token is exchanged for a session cookie and is not kept by this page. A session ends by itself after a while, and when the token is revoked.</p>
    </div>
  </main>`;
}

function refusalText(problem: Problem): string {
  const wait = problem.kind === 'refused' && problem.retryAfterSeconds;
  return wait ? `${problemText(problem)} Try again in ${wait} s.` : problemText(problem);
}
