import { useState } from 'preact/hooks';
import type { AnswerProof, ProvenAnswer, RecordVerification } from '../../generated/management-v1.d.ts';
import { get } from '../api/client.ts';
import { isoText } from '../clock.ts';
import { recordFindings } from '../czech/said.ts';
import { counted } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge, Empty, Facts, Loaded, Missing, ProblemBlock, Section, When } from '../parts/blocks.ts';
import { CopyLine } from '../parts/copy.ts';
import { useSubmitted } from '../parts/form.ts';
import { hrefTo } from '../router.ts';
import { askAgainMs, Explained } from './explained.ts';
import { QuoteTable } from './quote-table.ts';

/** An answer again: its body, what proves it, and how the price in it came about. */
export function RequestView({ id }: { id: string }) {
  const polled = usePolled<ProvenAnswer>(`history/answers/${id}`, askAgainMs);
  if (polled.value === undefined && polled.problem?.kind === 'refused' && polled.problem.status === 404) {
    return html`<${Empty} title=${polled.problem.detail}>${tell('Only answers to a valid key are recorded, and only as long as <code>history.keepFor</code> says. Compare the id with <code>X-Request-Id</code> of the answer.')}<//>`;
  }
  return html`<${Loaded} polled=${polled}>${(proven: ProvenAnswer) => html`<${Proven} proven=${proven} />`}<//>`;
}

function Proven({ proven }: { proven: ProvenAnswer }) {
  const { answer, body, quotes, segment } = proven;
  const isTicker = answer.symbol !== null && quotes.length === 1;
  return html`<div>
    <${Section} title=${say('The answer')}>
      <${AnswerFacts} answer=${answer} />
      <figure class="answer record-body">
        <figcaption class="small">${say('The body, byte for byte as it was without compression')}</figcaption>
        ${body === null ? html`<p class="note warn">${say('The record lacks a part of this answer, so its body cannot be built again.')}</p>` : html`<pre tabindex="0" aria-label=${say('Body of the answer')}><code>${body}</code></pre>`}
      </figure>
    <//>
    <${Section} title=${say('Proof')}><${Proof} segment=${segment} id=${answer.requestId} /><//>
    ${quotes.length > 0 && answer.symbol !== null && html`<${Section} title=${say('Published price in it')}><${QuoteTable} label=${say('Published price in the answer')} symbol=${answer.symbol} quotes=${quotes} /><//>`}
    ${isTicker && html`<${Section} title=${say('How the price came about')}><${Explained} symbol=${answer.symbol} quote=${quotes[0]} /><//>`}
  </div>`;
}

function AnswerFacts({ answer }: { answer: ProvenAnswer['answer'] }) {
  const { requestId, atMs, keyId, route, symbol, status, code } = answer;
  return html`<${Facts}
    rows=${[
      [say('Answered for'), html`<${When} atMs=${atMs} as="daySecond" /><br /><small>${isoText(atMs)}</small>`],
      [say('Asked for'), html`<code>${route}</code> ${symbol}`],
      [
        say('Status'),
        html`<${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'bad'}>${status} ${code ?? ''}<//>`,
      ],
      [say('Key'), html`<a href=${hrefTo('keys', keyId)}>${keyId}</a>`],
      [say('Request id'), html`<code>${requestId}</code>`],
    ]}
  />`;
}

function Proof({ segment, id }: { segment: ProvenAnswer['segment']; id: string }) {
  if (segment === null) {
    return html`<p><${Missing}>${say('Not sealed yet:')}<//> ${say('its minute is still running. It is sealed within two minutes, and this page shows the hash then.')}</p>`;
  }
  const { chain, number, hash } = segment;
  return html`<div>
    <p>${say('Sealed in segment {number} of chain {chain}. Its SHA-256 covers its content and the hash of the segment before, so that a change anywhere earlier would change it:', { number, chain })}</p>
    <${CopyLine} text=${hash} label=${say('Copy the hash')} />
    <${Save} id=${id} />
    <${Verify} />
  </div>`;
}

/** Saves the file that proves this answer alone. */
function Save({ id }: { id: string }) {
  const { isBusy, problem, submit } = useSubmitted<AnswerProof>(({ text }) => {
    const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    Object.assign(document.createElement('a'), { href, download: `proof-${id}.json` }).click();
    URL.revokeObjectURL(href);
  });
  const save = () => submit(() => get<AnswerProof>(`history/answers/${id}/proof`));
  return html`<div>
    <p>${say('A file that proves this answer to a third party shows nothing of any other, and is checked without this service.')}</p>
    <p class="buttons"><button type="button" disabled=${isBusy} onClick=${save}>${say('Save the proof')}</button></p>
    ${problem && html`<${ProblemBlock} problem=${problem} />`}
  </div>`;
}

/** Seconds for each gigabyte of the record. */
const verifyTimeoutMs = 600_000;

/** Compares the hash of every segment, at a press. */
function Verify() {
  const [found, setFound] = useState<RecordVerification | undefined>(undefined);
  const { isBusy, problem, submit } = useSubmitted<RecordVerification>(setFound);
  const verify = () => submit(() => get<RecordVerification>('history/verification', undefined, verifyTimeoutMs));
  return html`<div class="verify">
    <p class="buttons"><button type="button" disabled=${isBusy} onClick=${verify}>${say(isBusy ? 'Verifying …' : 'Verify the whole record')}</button></p>
    <div role="status">${found && !isBusy && html`<${Finding} found=${found} />`}</div>
    ${problem && html`<${ProblemBlock} problem=${problem} />`}
  </div>`;
}

function Finding({ found: { whole, segments, deleted, finding, findingCode } }: { found: RecordVerification }) {
  const kept =
    deleted === 0
      ? ''
      : ` ${say('Retention deleted {segments}, and the chain says so.', { segments: counted(deleted, 'segment') })}`;
  return whole
    ? html`<p class="note good"><strong>${say('The record is whole.')}</strong> ${say('{segments} as they were written.', { segments: counted(segments, 'segment') })}${kept}</p>`
    : html`<p class="note warn"><strong>${say('The record is not as it was written:')}</strong> ${finding === null ? '' : saidText(finding, findingCode, recordFindings)}.</p>`;
}
