import type { Approval, ApprovalList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { instantMs } from '../clock.ts';
import { approvalStates, approvalValues } from '../czech/approvals.ts';
import { grouped } from '../format/decimal.ts';
import type { Tone } from '../format/words.ts';
import { type Content, html } from '../html.ts';
import { language, say, type Text, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Missing, Page, Section, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { PagingButtons, TableFrame, usePaging } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { withQuery } from '../router.ts';
import { ProposedEffect } from '../terms/proposed-effect.ts';

const everyMs = 3_000;

/** Changes that one person proposes and another one confirms: what waits, and what became of the others. */
export function ApprovalsPage() {
  const waiting = usePolled<ApprovalList>('approvals', everyMs);
  const paging = usePaging('approvals');
  const all = usePolled<ApprovalList>(withQuery('approvals', { state: 'all', after: paging.after }), everyMs);
  const changed = () => {
    waiting.refresh();
    all.refresh();
  };
  return html`<${Page} title=${say('Approvals')}>
    <${Loaded} polled=${waiting}>${(body: ApprovalList) => html`<${Section} title=${say('Waiting')}>
      <p class="hint">${kindsText(body.kinds)}</p>
      <${Waiting} approvals=${body.approvals} onChanged=${changed} />
    <//>`}<//>
    <${Section} title=${say('Before')}>
      <${Loaded} polled=${all}>${({ approvals, next }: ApprovalList) => html`<div>
        <${Past} approvals=${approvals.filter(({ state }) => state !== 'waiting')} />
        <${PagingButtons} paging=${paging} next=${next} />
      </div>`}<//>
    <//>
  <//>`;
}

const kindTexts: Readonly<Record<Approval['kind'], string>> = {
  terms: say('terms'),
  delist: say('delistings'),
  rates: say('accepting and releasing rates'),
};

function kindsText(kinds: ApprovalList['kinds']): string {
  if (kinds.length === 0) return say('No change needs a second person: admin.approvals in the configuration is empty.');
  return say('These need a second person: {kinds}. Pausing and holding never do.', {
    kinds: kinds.map((kind) => kindTexts[kind]).join(', '),
  });
}

const titles: Readonly<Record<Approval['action'], Text>> = {
  'term.set': 'Term for {subject}',
  'term.cancel': 'Cancel the term {subject}',
  'market.delist': 'Delist {subject} for good',
  'catalogue.delist': 'Delist for good what the list of {subject} lacks',
  'rate.accept': 'Accept the rate of {subject}',
  'rate.release': 'Release the rate of {subject}',
};

function titleOf({ action, subject }: Approval): string {
  return say(titles[action], { subject: subject === 'service' ? say('the whole service') : subject });
}

interface ListProps {
  readonly approvals: readonly Approval[];
  readonly onChanged: () => void;
}

function Waiting({ approvals, onChanged }: ListProps) {
  if (approvals.length === 0) return html`<${Empty} title=${say('Nothing waits.')} />`;
  return html`<ul class="cards">${approvals.map((each) => html`<${Card} key=${each.id} approval=${each} onChanged=${onChanged} />`)}</ul>`;
}

/** What exactly changes, who proposed it, and what the one who looks can do about it. */
function Card({ approval, onChanged }: { approval: Approval; onChanged: () => void }) {
  const { id, proposedBy, proposedAtMs, expiresAtMs, own } = approval;
  return html`<li class="card approval">
    <div class="card-head"><h3>${titleOf(approval)}</h3><code class="small">${id}</code></div>
    <${Values} approval=${approval} />
    <${Facts} rows=${[
      [say('Proposed by'), proposedBy],
      [say('Proposed'), html`<${When} atMs=${proposedAtMs} as="full" />`],
      [say('Expires'), html`<${When} atMs=${expiresAtMs} as="full" />`],
    ]} />
    ${own && html`<p class="hint">${say('You may have proposed it yourself: another person confirms it.')}</p>`}
    <${Allowed} role="operator">
      ${!own && html`<${Decide} approval=${approval} verb="confirm" onChanged=${onChanged} />`}
      <${Decide} approval=${approval} verb="reject" onChanged=${onChanged} />
    <//>
  </li>`;
}

function Values({ approval }: { approval: Approval }) {
  return html`<${TableFrame} label=${titleOf(approval)}><table>
    <thead><tr><th scope="col">${say('What')}</th><th scope="col">${say('Now')}</th><th scope="col">${say('Then')}</th></tr></thead>
    <tbody>${approval.values.map(
      ({ what, from, to }) => html`<tr key=${`${what} ${from}`}>
        <th scope="row">${nameOf(what)}</th><td class="wrap"><${Value} what=${what} text=${from} /></td><td class="wrap"><${Value} what=${what} text=${to} /></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

function nameOf(what: string): string {
  return language === 'cs' ? (approvalValues[what] ?? what) : what;
}

interface ValueProps {
  readonly what: string;
  readonly text: string | null;
  /** Among other text: states without their marks. */
  readonly isPlain?: boolean;
}

/** A value as people write it: instants in local time, states in words. */
function Value({ what, text, isPlain = false }: ValueProps): Content {
  if (text === null) return html`<${Missing}>–<//>`;
  if (what === 'fee' || what === 'margin') return `${grouped(text)}\u00a0%`;
  if (what === 'rate') return grouped(text);
  if (text === 'confirmation') return say('once it is confirmed');
  if (what === 'start' || what === 'held') return html`<${When} atMs=${instantMs(text)} as="full" />`;
  const [, names, state] = what === 'status' ? (/^(.*) (\w+)$/.exec(text) ?? []) : [];
  if (state !== undefined && isPlain) return `${names} ${word(state)}`;
  return state === undefined ? word(text) : html`${names} <${Badge} state=${state} />`;
}

interface DecideProps {
  readonly approval: Approval;
  readonly verb: 'confirm' | 'reject';
  readonly onChanged: () => void;
}

function Decide({ approval, verb, onChanged }: DecideProps) {
  const { id, own } = approval;
  const subject = titleOf(approval);
  const isConfirmed = verb === 'confirm';
  const back = own ? say('Take back') : say('Reject');
  const button = isConfirmed ? say('Confirm') : back;
  const done = ({ state }: Approval) => {
    toast(say(toasts[state] ?? 'Nothing is changed.'));
    onChanged();
  };
  return html`<${ConfirmButton}
    text=${button}
    label=${`${button}: ${subject}`}
    className=${isConfirmed ? 'main' : undefined}
    title=${`${subject}?`}
    action=${button}
    isDangerous=${isConfirmed && approval.kind === 'delist'}
    wide=${isConfirmed && approval.action === 'term.set'}
    act=${() => post<Approval>(`approvals/${encodeURIComponent(id)}/${verb}`)}
    onDone=${done}
  >
    ${
      isConfirmed
        ? html`<div class="approval">
            <${Values} approval=${approval} />
            ${approval.action === 'term.set' && html`<${ProposedEffect} term=${approval.change.term} />`}
            <p>${say('It is made at once, exactly so, and the audit log names you both.')}</p>
          </div>`
        : html`<p>${say('Nothing is changed.')}</p>`
    }
  <//>`;
}

const toasts: Readonly<Partial<Record<Approval['state'], Text>>> = {
  confirmed: 'The change is confirmed and made.',
  rejected: 'The change is rejected.',
  withdrawn: 'The change is taken back.',
};

const tones: Readonly<Record<Approval['state'], Tone>> = {
  waiting: 'plan',
  confirmed: 'good',
  rejected: 'warn',
  withdrawn: 'quiet',
  expired: 'quiet',
};

function Past({ approvals }: { approvals: readonly Approval[] }) {
  if (approvals.length === 0) return html`<${Empty} title=${say('None was decided on yet.')} />`;
  return html`<${TableFrame} label=${say('Before')}><table>
    <thead><tr><th scope="col">${say('Proposed')}</th><th scope="col">${say('Change')}</th><th scope="col">${say('Proposed by')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Decided by')}</th></tr></thead>
    <tbody>${approvals.map((approval) => {
      const { id, state, proposedAtMs, proposedBy, decidedBy, decidedAtMs, values } = approval;
      return html`<tr key=${id}>
        <td><${When} atMs=${proposedAtMs} /></td>
        <th scope="row" class="wrap">${titleOf(approval)}<br /><small class="approval-values">${values.map(
          ({ what, from, to }, at) =>
            html`<span key=${what + at}>${at > 0 && ', '}${nameOf(what)} <${Value} what=${what} text=${from} isPlain /> → <${Value} what=${what} text=${to} isPlain /></span>`,
        )}</small></th>
        <td>${proposedBy}</td>
        <td><${Badge} state=${state} tone=${tones[state]}>${language === 'cs' ? approvalStates[state] : state}<//></td>
        <td>${decidedBy === null ? html`<${Missing}>–<//>` : html`${decidedBy}<br /><small><${When} atMs=${decidedAtMs ?? 0} /></small>`}</td>
      </tr>`;
    })}</tbody>
  </table><//>`;
}
