import { useEffect, useState } from 'preact/hooks';
import { type Outcome, post } from '../api/client.ts';
import { after } from '../clock.ts';
import { type Content, html } from '../html.ts';

const pauseMs = 300;

/** What the service says of something that is not sent yet, asked whenever typing pauses. */
export function usePreview<T>(path: string, wanted: object | undefined): Outcome<T> | undefined {
  const [outcome, setOutcome] = useState<Outcome<T> | undefined>(undefined);
  const question = wanted && JSON.stringify(wanted);
  useEffect(() => {
    if (question === undefined) return setOutcome(undefined);
    let isCurrent = true;
    const stop = after(pauseMs, async () => {
      const answer = await post<T>(path, JSON.parse(question) as object);
      if (isCurrent) setOutcome(answer);
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [question]);
  return outcome;
}

interface PreviewProps<T> {
  readonly title: string;
  /** Shown while the form is not complete. */
  readonly hint: string;
  readonly outcome: Outcome<T> | undefined;
  readonly children: (value: T) => Content;
}

export function Preview<T>({ title, hint, outcome, children }: PreviewProps<T>) {
  return html`<section class="panel preview" aria-label=${title} aria-live="polite">
    <h2>${title}</h2>
    ${outcome === undefined && html`<p class="hint">${hint}</p>`}
    ${outcome?.ok === false && html`<p class="hint">${outcome.problem.detail}</p>`}
    ${outcome?.ok === true && children(outcome.value)}
  </section>`;
}
