import type { Key, KeyList, RecordedAnswer, RecordedAnswerPage } from '../../generated/management-v1.d.ts';
import { keyName } from '../access/keys.ts';
import { isoText } from '../clock.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge, Empty, Loaded, Missing, Section } from '../parts/blocks.ts';
import { PagingButtons, TableFrame, usePaging } from '../parts/table.ts';
import { hrefTo, hrefWith, withQuery } from '../router.ts';
import { askAgainMs } from './explained.ts';

interface KeySpan {
  readonly from: string;
  readonly to: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a key was answered in a span. @param text its id or last four characters */
export function KeyView({ text, span }: { text: string; span: KeySpan }) {
  const polled = usePolled<KeyList>(withQuery('keys', { query: text }), askAgainMs);
  return html`<${Loaded} polled=${polled}>
    ${({ keys }: KeyList) => {
      const found = keys.filter(({ id, lastFour }) => id === text || lastFour === text);
      if (found.length > 1) return html`<${WhichKey} keys=${found} span=${span} />`;
      const id = found[0]?.id ?? (text.startsWith('key_') ? text : undefined);
      if (id !== undefined) return html`<${Answers} keyId=${id} span=${span} />`;
      return html`<${Empty} title=${say('No key has this id or ends in these four characters.')}>${tell('Capitals count: <code>x7Qa</code> is not <code>x7qa</code>.')}<//>`;
    }}
  <//>`;
}

function WhichKey({ keys, span }: { keys: readonly Key[]; span: KeySpan }) {
  const { from, to } = span;
  return html`<${Section} title=${say('Several keys end so')}><ul>${keys.map(
    (key) =>
      html`<li key=${key.id}><a href=${hrefWith(['record'], { by: 'key', key: key.id, from, to })}>${keyName(key)}</a>, ${key.accountEmail ?? key.accountId} <code>${key.id}</code></li>`,
  )}</ul><//>`;
}

function Answers({ keyId, span }: { keyId: string; span: KeySpan }) {
  const [fromMs, toMs] = [String(span.fromMs), String(span.toMs)];
  const paging = usePaging(`${keyId} ${fromMs} ${toMs}`);
  const query = { keyId, fromMs, toMs, limit: '50', after: paging.after };
  const polled = usePolled<RecordedAnswerPage>(withQuery('history/answers', query), askAgainMs);
  const title = tell('Answers to {key}', { key: html`<a href=${hrefTo('keys', keyId)}>${keyId}</a>` });
  return html`<${Section} title=${title}>
    <${Loaded} polled=${polled}>
      ${({ answers, next }: RecordedAnswerPage) =>
        answers.length === 0
          ? html`<${Empty} title=${say('This key was answered nothing in this span.')}>${say("Choose another span, or look at the key's use.")}<//>`
          : html`<div><${AnswerTable} answers=${answers} /><${PagingButtons} paging=${paging} next=${next} /></div>`}
    <//>
  <//>`;
}

function AnswerTable({ answers }: { answers: readonly RecordedAnswer[] }) {
  return html`<${TableFrame} label=${say('Answers to the key')}><table>
    <thead><tr><th scope="col">${say('Answered for, UTC')}</th><th scope="col">${say('Asked for')}</th><th scope="col">${say('Symbol')}</th><th scope="col">${say('Status')}</th><th scope="col">${say('Request id')}</th></tr></thead>
    <tbody>${answers.map(
      ({ requestId, atMs, route, symbol, status, code }) => html`<tr key=${requestId}>
        <th scope="row">${isoText(atMs).slice(0, 23).replace('T', ' ')}</th>
        <td><code>${route}</code></td>
        <td>${symbol ?? html`<${Missing}>–<//>`}</td>
        <td><${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'bad'}>${status} ${code ?? ''}<//></td>
        <td><a href=${hrefWith(['record'], { by: 'request', id: requestId })}><code>${requestId}</code></a></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}
