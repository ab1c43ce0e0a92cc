import { useEffect, useState } from 'preact/hooks';
import type { ServiceStatus, Preview as WindowPreview } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { type Outcome, problemText } from '../api/problem.ts';
import { after } from '../clock.ts';
import { localText, spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { Badge } from '../parts/words.ts';

const pauseMs = 300;

interface Wanted {
  readonly fromMs: number;
  readonly toMs: number;
  readonly description: string;
}

/** What clients will see of a window not announced yet, asked from the service whenever typing pauses. */
export function Preview({ wanted }: { wanted: Wanted | undefined }) {
  const outcome = usePreview(wanted);
  return html`<section class="panel preview" aria-label="What clients will see" aria-live="polite">
    <h2>What clients will see</h2>
    ${outcome === undefined && html`<p class="hint">Fill in the form, and the answers of the service appear here.</p>`}
    ${outcome?.ok === false && outcome.problem.kind !== 'aborted' && html`<p class="hint">${problemText(outcome.problem)}</p>`}
    ${outcome?.ok === true && html`<${Shown} preview=${outcome.value} />`}
  </section>`;
}

function usePreview(wanted: Wanted | undefined): Outcome<WindowPreview> | undefined {
  const [outcome, setOutcome] = useState<Outcome<WindowPreview> | undefined>(undefined);
  const question = wanted === undefined || wanted.description === '' ? undefined : JSON.stringify(wanted);
  useEffect(() => {
    if (question === undefined) return setOutcome(undefined);
    let isCurrent = true;
    const stop = after(pauseMs, async () => {
      const answer = await post<WindowPreview>('maintenance/preview', JSON.parse(question) as Wanted);
      if (isCurrent) setOutcome(answer);
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [question]);
  return outcome;
}

function Shown({ preview: { before, during, retryAfterSeconds, overlaps } }: { preview: WindowPreview }) {
  const { ticker, status } = during;
  return html`<div>
    ${overlaps.length > 0 && html`<div class="note warn"><p><strong>It overlaps with maintenance already announced.</strong> Clients see the one that ends last.</p><ul>${overlaps.map(({ id, fromMs, toMs, description }) => html`<li key=${id}>${localText(fromMs)} to ${localText(toMs)}: ${description}</li>`)}</ul></div>`}
    <h3>From the announcement on</h3>
    <${Answer} line="GET /v1/status" status=${200} body=${statusParts(before)} />
    <h3>While it runs</h3>
    <${Answer} line="GET /v1/tickers" status=${ticker.httpStatus} headers=${ticker.headers} body=${ticker.body} />
    <p class="hint">They wait ${spanText(retryAfterSeconds * 1_000)} at its start, and less the nearer its end comes.</p>
    <details><summary>GET /v1/status while it runs</summary><${Answer} line="GET /v1/status" status=${200} body=${statusParts(status)} /></details>
  </div>`;
}

/** What the window changes in the status; the clock and the feed's instants are left out. */
function statusParts({ status, api, components, maintenance }: ServiceStatus): object {
  return { status, api, components, maintenance };
}

interface AnswerProps {
  readonly line: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

function Answer({ line, status, headers = {}, body }: AnswerProps) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return html`<figure class="answer">
    <figcaption><code>${line}</code> <${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'plan'} /></figcaption>
    <pre tabindex="0"><code>${head.join('')}${head.length > 0 ? '\n' : ''}${JSON.stringify(body, null, 2)}</code></pre>
  </figure>`;
}
