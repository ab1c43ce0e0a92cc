import type { RecordSummary } from '../../generated/management-v1.d.ts';
import { parseLocal } from '../clock.ts';
import { bytesText, counted, countText } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Empty, Facts, Loaded, Missing, Page, Section, When } from '../parts/blocks.ts';
import { hrefWith } from '../router.ts';
import { InstantView } from './instant-view.ts';
import { KeyView } from './key-view.ts';
import { instantOf, keyTextOf, requestIdOf, symbolOf, type Way, wayOf, ways } from './questions.ts';
import { RequestView } from './request-view.ts';
import { InstantForm, KeyForm, RequestForm } from './search-forms.ts';

const everyMs = 10_000;

/** What was quoted, when and to whom. The question is in the address, so that a finding can be passed on. */
export function RecordPage({ query }: { query: URLSearchParams }) {
  const polled = usePolled<RecordSummary>('history', everyMs);
  return html`<${Page} title=${say('Record')}>
    <${Loaded} polled=${polled}>
      ${(summary: RecordSummary) =>
        summary.recorded
          ? html`<div>
              <${Question} query=${query} />
              <${Section} title=${say('What is recorded')}><${Summary} summary=${summary} /><//>
            </div>`
          : html`<${Empty} title=${say('This service records nothing.')}>${tell('Set <code>history.url</code> to record every published price and every answer to a key.')}<//>`}
    <//>
  <//>`;
}

function Question({ query }: { query: URLSearchParams }) {
  const way = wayOf(query.get('by'));
  const Form = { request: RequestForm, instant: InstantForm, key: KeyForm }[way];
  return html`<div>
    <${Section} title=${say('What did we quote?')}>
      <nav class="presets buttons" aria-label=${say('Search by')}>
        ${ways.map(([name, text]) => html`<a key=${name} class="way" href=${hrefWith(['record'], { by: name })} aria-current=${name === way ? 'true' : undefined}>${text}</a>`)}
      </nav>
      <${Form} query=${query} />
    <//>
    ${resultOf(way, query)}
  </div>`;
}

function resultOf(way: Way, query: URLSearchParams) {
  if (way === 'request') {
    const id = requestIdOf(query.get('id') ?? '');
    return id && html`<${RequestView} key=${id} id=${id} />`;
  }
  if (way === 'instant') {
    const [symbol, atMs] = [symbolOf(query.get('symbol') ?? ''), instantOf(query.get('at') ?? '')];
    return symbol && atMs !== undefined && html`<${InstantView} symbol=${symbol} atMs=${atMs} />`;
  }
  const [text, from, to] = [keyTextOf(query.get('key') ?? ''), query.get('from') ?? '', query.get('to') ?? ''];
  const [fromMs, toMs] = [parseLocal(from), parseLocal(to)];
  if (text === '' || fromMs === undefined || toMs === undefined || fromMs >= toMs) return null;
  return html`<${KeyView} text=${text} span=${{ from, to, fromMs, toMs }} />`;
}

function Summary({ summary }: { summary: RecordSummary }) {
  const { fromMs, toMs, segments, bytes, gaps, holds } = summary;
  const instant = (atMs: number | null, none: string) =>
    atMs === null ? html`<${Missing}>${none}<//>` : html`<${When} atMs=${atMs} as="full" />`;
  return html`<${Facts}
    rows=${[
      [say('Since'), instant(fromMs, say('nothing sealed yet'))],
      [say('Sealed until'), instant(toMs, say('nothing sealed yet'))],
      [say('Segments'), `${countText(segments)}, ${bytesText(bytes)}`],
      [say('Gaps'), gaps.length === 0 ? say('none') : counted(gaps.length, 'gap')],
      [say('Kept beyond its time'), holds.length === 0 ? say('nothing') : counted(holds.length, 'span')],
    ]}
  />`;
}
