import { useState } from 'preact/hooks';
import type { RecordVerification } from '../../generated/management-v1.d.ts';
import { get } from '../api/client.ts';
import { counted } from '../format/decimal.ts';
import { html } from '../html.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { useSubmitted } from '../parts/form.ts';

/** Seconds for each gigabyte of the record. */
const timeoutMs = 600_000;

/** Compares the hash of every segment, at a press. */
export function Verify() {
  const [found, setFound] = useState<RecordVerification | undefined>(undefined);
  const { isBusy, problem, submit } = useSubmitted<RecordVerification>(setFound);
  const verify = () => submit(() => get<RecordVerification>('history/verification', undefined, timeoutMs));
  return html`<div class="verify">
    <p class="buttons"><button type="button" disabled=${isBusy} onClick=${verify}>${isBusy ? 'Verifying …' : 'Verify the whole record'}</button></p>
    <div role="status">${found && !isBusy && html`<${Finding} found=${found} />`}</div>
    ${problem && html`<${ProblemBlock} problem=${problem} />`}
  </div>`;
}

function Finding({ found: { whole, segments, deleted, finding } }: { found: RecordVerification }) {
  const kept = deleted === 0 ? '' : ` Retention deleted ${counted(deleted, 'segment')}, and the chain says so.`;
  return whole
    ? html`<p class="note good"><strong>The record is whole.</strong> ${counted(segments, 'segment')} are as they were written.${kept}</p>`
    : html`<p class="note warn"><strong>The record is not as it was written:</strong> ${finding}.</p>`;
}
