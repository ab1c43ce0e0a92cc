import { useState } from 'preact/hooks';
import type { AuditEntry, AuditPage } from '../../generated/management-v1.d.ts';
import { get, type Outcome } from '../api/client.ts';
import { isoText, parseLocal } from '../clock.ts';
import { auditText } from '../format/audit.ts';
import { counted } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Empty, Loaded, Page, When } from '../parts/blocks.ts';
import { Choice, Field, Search } from '../parts/form.ts';
import { PagingButtons, TableFrame, usePaging } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, hrefWith, replaceWith, withQuery } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { csvOf, type Fold, foldsOf } from './audit-folds.ts';

const everyMs = 5_000;
const pageSize = '200';

/** What the address asks for; `from` and `to` in local time as fields have it. */
const filters = ['subject', 'actor', 'action', 'from', 'to'] as const;
type Filter = Readonly<Record<(typeof filters)[number], string>>;

/** Who changed what, latest first: here and on the command line. */
export function AuditLogPage({ query }: { query: URLSearchParams }) {
  const filter = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ''])) as Filter;
  const path = pathOf(filter);
  const paging = usePaging(path);
  const polled = usePolled<AuditPage>(withQuery(path, { after: paging.after }), everyMs);
  const isFiltered = filters.some((name) => filter[name] !== '');
  return html`<${Page} title=${say('Audit log')} actions=${html`<${Export} path=${path} />`}>
    <${Filters} filter=${filter} />
    <${Loaded} polled=${polled}>
      ${({ entries, next }: AuditPage) => html`<div><${Entries} entries=${entries} isFiltered=${isFiltered} /><${PagingButtons} paging=${paging} next=${next} /></div>`}
    <//>
  <//>`;
}

/** The path of the first page, without what is not filtered by. */
function pathOf({ subject, actor, action, from, to }: Filter): string {
  const [fromMs, toMs] = [from, to].map((text) => String(parseLocal(text) ?? '')) as [string, string];
  return withQuery('audit', { subject, actor, action, fromMs, toMs, limit: pageSize });
}

const kinds = [
  'account',
  'key',
  'market',
  'term',
  'approval',
  'window',
  'incident',
  'token',
  'session',
  'history',
  'sources',
  'source_token',
  'store',
] as const;

function Filters({ filter }: { filter: Filter }) {
  const change = (name: keyof Filter) => (text: string) =>
    replaceWith(hrefWith(['audit'], { ...filter, [name]: text.trim() }));
  const actions = [['', say('Anything')], ...kinds.map((kind) => [`${kind}.`, word(kind)])];
  return html`<div class="filter one-row">
    <${Search} label=${say('About')} placeholder=${say('an id or a symbol')} initial=${filter.subject} onSearch=${change('subject')} />
    <${Search} label=${say('Who')} placeholder=${say('name, or cli:user')} initial=${filter.actor} onSearch=${change('actor')} />
    <${Choice} label=${say('What')} value=${filter.action} options=${actions} onChange=${change('action')} />
    <${Field} label=${say('From')} type="datetime-local" value=${filter.from} onInput=${change('from')} />
    <${Field} label=${say('To')} type="datetime-local" value=${filter.to} onInput=${change('to')} />
  </div>`;
}

/** Saves all entries that the filters let through. */
function Export({ path }: { path: string }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const entries = await allOf(path);
    setBusy(false);
    if (entries === undefined) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csvOf(entries)], { type: 'text/csv' }));
    link.download = `audit-${isoText(serverNowMs()).slice(0, 10)}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return html`<button type="button" disabled=${isBusy} onClick=${save}>${isBusy ? say('Loading …') : say('Save as CSV')}</button>`;
}

async function allOf(path: string): Promise<readonly AuditEntry[] | undefined> {
  const entries: AuditEntry[] = [];
  let next: string | null = null;
  do {
    const page: string = next === null ? path : `${path}&after=${encodeURIComponent(next)}`;
    const outcome: Outcome<AuditPage> = await get<AuditPage>(page);
    if (!outcome.ok) {
      toast(outcome.problem.detail, 'bad');
      return undefined;
    }
    entries.push(...outcome.value.entries);
    next = outcome.value.next;
  } while (next !== null);
  return entries;
}

function Entries({ entries, isFiltered }: { entries: readonly AuditEntry[]; isFiltered: boolean }) {
  if (entries.length === 0) {
    return isFiltered
      ? html`<${Empty} title=${say('No entries.')}>${say('Widen the filters, or search for the id of an account, key, window or token, or for a symbol.')}<//>`
      : html`<${Empty} title=${say('No changes yet.')}>${say('Every change by an operator is recorded here, whether made in the console or on the command line.')}<//>`;
  }
  return html`<${TableFrame} label=${say('Audit log')}><table>
    <thead><tr><th scope="col">${say('When')}</th><th scope="col">${say('Who')}</th><th scope="col">${say('What')}</th><th scope="col">${say('About')}</th></tr></thead>
    <tbody>${foldsOf(entries).map((fold) => html`<${Folded} key=${fold.entries.at(-1)!.id} fold=${fold} />`)}</tbody>
  </table><//>`;
}

/** One entry by itself; of many only how many, until they are opened. */
function Folded({ fold: { entries } }: { fold: Fold }) {
  const [isOpen, setOpen] = useState(false);
  const [latest, oldest] = [entries[0]!, entries.at(-1)!];
  if (entries.length === 1) return html`<${Entry} entry=${latest} />`;
  return [
    html`<tr key="fold">
      <td><${When} atMs=${oldest.atMs} as="daySecond" /> – <${When} atMs=${latest.atMs} as="second" /></td>
      <td>${latest.actor}</td>
      <td class="wrap"><div class="entry"><button type="button" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${counted(entries.length, 'entry')}</button> <code class="small">${latest.action}</code></div></td>
      <td>${word(latest.subject.kind)}</td>
    </tr>`,
    ...(isOpen ? entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`) : []),
  ];
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { atMs, actor, action, subject, details } = entry;
  const hasDetails = Object.keys(details).length > 0;
  return html`<tr>
    <td><${When} atMs=${atMs} as="daySecond" /></td>
    <td>${actor}</td>
    <td class="wrap"><div class="entry">
      <span>${auditText(entry)}</span>
      ${hasDetails ? html`<details><summary><code>${action}</code></summary><pre tabindex="0"><code>${JSON.stringify(details, null, 2)}</code></pre></details>` : html`<code class="small">${action}</code>`}
    </div></td>
    <td><a href=${hrefWith(['audit'], { subject: subject.id })} title=${say('Only this')}>${word(subject.kind)} <code>${subject.id}</code></a> ${pageOf(subject)}</td>
  </tr>`;
}

/** A link to the subject itself, where it has a page. */
function pageOf({ kind, id }: AuditEntry['subject']) {
  const folders: Readonly<Record<string, string>> = { account: 'accounts', key: 'keys', market: 'markets' };
  const folder = folders[kind];
  return folder === undefined ? null : html`<a href=${hrefTo(folder, id)}>${say('open')}</a>`;
}
