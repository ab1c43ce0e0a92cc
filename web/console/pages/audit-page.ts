import type { AuditEntry, AuditPage } from '../../generated/management-v1.d.ts';
import { serviceText } from '../format/sentences.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Empty, Loaded, Page, When } from '../parts/blocks.ts';
import { Search } from '../parts/form.ts';
import { PagingButtons, TableFrame, usePaging } from '../parts/table.ts';
import { hrefTo, hrefWith, replaceWith, withQuery } from '../router.ts';

const everyMs = 5_000;

/** Who changed what, latest first: here and on the command line. */
export function AuditLogPage({ query }: { query: URLSearchParams }) {
  const subject = query.get('subject') ?? '';
  const paging = usePaging(subject);
  const polled = usePolled<AuditPage>(withQuery('audit', { subject, after: paging.after, limit: '50' }), everyMs);
  return html`<${Page} title=${say('Audit log')}>
    <${Search} label=${say('About')} placeholder=${say('id of an account, key, window or token, or a symbol')} initial=${subject} onSearch=${(text: string) => replaceWith(hrefWith(['audit'], { subject: text }))} />
    <${Loaded} polled=${polled}>
      ${({ entries, next }: AuditPage) => html`<div><${Entries} entries=${entries} isFiltered=${subject !== ''} /><${PagingButtons} paging=${paging} next=${next} /></div>`}
    <//>
  <//>`;
}

function Entries({ entries, isFiltered }: { entries: readonly AuditEntry[]; isFiltered: boolean }) {
  if (entries.length === 0) {
    return isFiltered
      ? html`<${Empty} title=${say('No entries.')}>${say('Search for the id of an account, key, window or token, or for a symbol.')}<//>`
      : html`<${Empty} title=${say('No changes yet.')}>${say('Every change by an operator is recorded here, whether made in the console or on the command line.')}<//>`;
  }
  return html`<${TableFrame} label=${say('Audit log')}><table>
    <thead><tr><th scope="col">${say('When')}</th><th scope="col">${say('Who')}</th><th scope="col">${say('What')}</th><th scope="col">${say('About')}</th></tr></thead>
    <tbody>${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</tbody>
  </table><//>`;
}

function Entry({ entry: { atMs, actor, action, summary, subject, details } }: { entry: AuditEntry }) {
  const hasDetails = Object.keys(details).length > 0;
  return html`<tr>
    <td><${When} atMs=${atMs} as="daySecond" /></td>
    <td>${actor}</td>
    <td class="wrap"><div class="entry">
      <span>${serviceText(summary)}</span>
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
