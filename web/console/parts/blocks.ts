import { type Problem, problemText } from '../api/problem.ts';
import { type Content, html } from '../html.ts';
import type { Polled } from '../live/polled.ts';

/** A part of a page with a heading of its own. `aside` stands to the right of it. */
export function Section({ title, aside, children }: { title: string; aside?: Content; children?: Content }) {
  return html`<section class="section">
    <header class="section-head"><h2>${title}</h2>${aside && html`<div class="section-aside">${aside}</div>`}</header>
    ${children}
  </section>`;
}

/** What stands where a list is empty: what it would hold, and what to do. */
export function Empty({ title, children }: { title: string; children?: Content }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children && html`<p>${children}</p>`}</div>`;
}

/** A refusal or a failure, in the words of the service, with its request id for the log. */
export function ProblemBlock({ problem, retry }: { problem: Problem; retry?: () => void }) {
  if (problem.kind === 'aborted') return null;
  const title = problem.kind === 'unreachable' ? 'No answer' : 'Not possible';
  const requestId = problem.kind === 'refused' ? problem.requestId : undefined;
  return html`<div class="problem" role="alert">
    <p><strong>${title}.</strong> ${problemText(problem)}</p>
    ${requestId && html`<p class="small">In the log under request <code>${requestId}</code></p>`}
    ${retry && html`<p><button type="button" onClick=${retry}>Try again</button></p>`}
  </div>`;
}

/**
 * Shows what was asked for: the content once there is some, before that a note, and the problem when there never
 * was an answer. A lost connection is told by the banner, so old content stays as it is.
 */
export function Loaded<T>({ polled, children }: { polled: Polled<T>; children: (value: T) => Content }) {
  if (polled.value !== undefined) return children(polled.value);
  if (polled.problem !== undefined && polled.problem.kind !== 'aborted') {
    return html`<${ProblemBlock} problem=${polled.problem} retry=${polled.refresh} />`;
  }
  return html`<p class="loading" role="status">Loading …</p>`;
}
