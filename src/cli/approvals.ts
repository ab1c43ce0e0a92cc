import type { EpochMs } from '../ground/clock.ts';
import {
  type ApprovalView,
  approvalView,
  changeOf,
  confirm,
  kindOfChange,
  type Present,
  type ProposedChange,
  propose,
  reject,
} from '../operator/approval.ts';
import type { RateView } from '../operator/rate.ts';
import { publishedApprovalKinds } from '../persistence/approval-kinds.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { askRates } from './private-listener.ts';
import { actorOf, type Job, storeCommand } from './store-command.ts';
import { type Cell, instantCell, type Paint, pairs, stateCell, table } from './style.ts';

type Proposing = Pick<Job, 'store' | 'configuration' | 'context' | 'paint'> & {
  readonly options: Pick<Job['options'], 'as'>;
};

/** Whether another person has to confirm a change, by this configuration or by that of the service. */
export async function needsApproval(change: Pick<ProposedChange, 'action'>, { store, configuration }: Proposing) {
  const kinds = [...configuration.admin.approvals, ...(await publishedApprovalKinds(store))];
  return kinds.includes(kindOfChange(change));
}

/**
 * Proposes a change that another person has to confirm; `undefined` where whoever asks may make it alone.
 *
 * @param rates those of the running server, for a change of one
 */
export async function proposedInstead(
  change: ProposedChange,
  job: Proposing,
  rates: readonly RateView[] = [],
): Promise<Result | undefined> {
  if (!(await needsApproval(change, job))) return undefined;
  const { store, context, options, paint } = job;
  const record = await propose(store, change, await presentOf(job, context.clock.now(), rates));
  const view = approvalView(record, actorOf(options, context));
  const notes = [`Nothing is changed yet. Another person confirms it: mdapi approvals confirm ${view.id}`];
  return { json: view, text: approvalText(view, paint), notes };
}

async function presentOf({ configuration }: Proposing, now: EpochMs, rates: readonly RateView[]): Promise<Present> {
  const { marketsFor } = await import('../wiring/market-room.ts');
  const firstTerms = marketsFor(configuration).terms.all();
  return { now, firstTerms, rateOf: (quote) => rates.find((rate) => rate.quote === quote) };
}

const list = storeCommand({
  name: 'approvals list',
  summary: 'list the changes that wait for a second person',
  details: [
    'Which changes need one, `admin.approvals` says. A proposal waits for 72 hours, and holds exactly what is applied.',
  ],
  options: {
    all: { summary: 'the latest 200, decided and expired ones too' },
  },
  examples: {
    'mdapi approvals list': 'what waits, who proposed it, and what it changes from and to',
  },
  async work({ options, store, context, paint }) {
    const records = options.all ? (await store.approvals.page({ limit: 200 })).items : await store.approvals.waiting();
    const approvals = records.map((record) => approvalView(record, actorOf(options, context)));
    const rows = approvals.map((view) => [
      view.id,
      stateCell(view.state, paint),
      view.proposedBy,
      instantCell(view.proposedAt),
      instantCell(view.expiresAt),
      view.summary,
    ]);
    const headings = ['ID', 'STATE', 'PROPOSED BY', 'AT', 'EXPIRES', 'CHANGE'];
    return { json: { approvals }, text: table(headings, rows, paint, 'Nothing waits.') };
  },
});

const positionals = { ID: { summary: 'the proposal’s id, apr_…' } } as const;

const confirmOne = storeCommand({
  name: 'approvals confirm',
  summary: 'confirm a change that somebody else proposed: it is made at once',
  details: [
    'Whoever proposed it cannot confirm it. On the command line the user of the system counts, for `--as` and sudo prove nothing: two who are both root are one, and one of them confirms in the console or with a token.',
    'Refused where what the change is based on is another by now, and where it has expired.',
  ],
  positionals,
  options: {
    yes: { summary: 'do not ask (without a terminal nothing is ever asked)' },
  },
  examples: {
    'mdapi approvals confirm apr_4fGh72Kq0ZsTn1Lw': 'shows the change, and asks',
  },
  async work(job) {
    const { positionals: given, options, store, configuration, context, paint, confirm: ask } = job;
    const actor = actorOf(options, context);
    const record = await store.approvals.get(given.ID);
    const isOfRate = changeOf(record).action === 'rate.accept';
    const rates = isOfRate ? await askRates(configuration.admin, context.clock) : [];
    if (rates === undefined)
      throw new CommandError(exitCodes.failure, 'no_server', 'No server answers on its private listener.');
    const shown = approvalView(record, actor);
    if (shown.state === 'waiting' && !shown.own) await ask(`${approvalText(shown, paint)}\n\nConfirm it?`);
    const confirmed = await confirm(store, given.ID, actor, await presentOf(job, context.clock.now(), rates));
    return shownOf(approvalView(confirmed, actor), paint);
  },
});

const rejectOne = storeCommand({
  name: 'approvals reject',
  summary: 'reject a proposed change, or take back your own',
  positionals,
  examples: {
    'mdapi approvals reject apr_4fGh72Kq0ZsTn1Lw': 'nothing is changed',
  },
  async work({ positionals: given, options, store, context, paint }) {
    const actor = actorOf(options, context);
    return shownOf(approvalView(await reject(store, given.ID, actor), actor), paint);
  },
});

export const commands = [list, confirmOne, rejectOne];

function shownOf(view: ApprovalView, paint: Paint): Result {
  return { json: view, text: approvalText(view, paint) };
}

function approvalText(view: ApprovalView, paint: Paint): string {
  const { id, state, summary, proposedBy, proposedAt, expiresAt, decidedBy, decidedAt, values } = view;
  const lines: [string, Cell][] = [
    ['Proposal', id],
    ['State', stateCell(state, paint)],
    ['Change', summary.split(': ')[0]!],
    ...values.map(({ what, from, to }): [string, Cell] => [what, `${from ?? 'none'} → ${to ?? 'none'}`]),
    ['Proposed by', `${proposedBy}, ${instantCell(proposedAt)}`],
    ['Expires', instantCell(expiresAt)],
  ];
  if (decidedBy !== null) lines.push(['Decided by', `${decidedBy}, ${instantCell(decidedAt)}`]);
  return pairs(lines, paint);
}
