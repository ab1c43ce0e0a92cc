import { useState } from 'preact/hooks';
import type { Request as RequestBody } from '../../generated/management-v1.d.ts';
import { get, type Outcome } from '../api/client.ts';
import { counted, grouped } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Badge, Facts, Missing, ProblemBlock, Section, When } from '../parts/blocks.ts';
import { Search } from '../parts/form.ts';
import { hrefTo, hrefWith } from '../router.ts';

const idShape = /^[0-9a-f]{32}$/;

/** Finds a request by the id that its client quotes. */
export function RequestSearch() {
  const [found, setFound] = useState<Outcome<RequestBody> | undefined>(undefined);
  const search = async (text: string) => {
    const id = text.toLowerCase();
    setFound(idShape.test(id) ? await get<RequestBody>(`requests/${id}`) : undefined);
  };
  return html`<${Section} title=${say('Find a request')}>
    <${Search} label=${say('Request id')} placeholder=${say('requestId of a problem, or X-Request-Id')} onSearch=${search} />
    ${found !== undefined && (found.ok ? html`<${Found} request=${found.value} />` : html`<${ProblemBlock} problem=${found.problem} />`)}
  <//>`;
}

function Found({ request }: { request: RequestBody }) {
  const { requestId, route, status, code, atMs, durationMs, bytes, keyId } = request;
  const rows = [
    [say('Answered'), html`<${When} atMs=${atMs} as="second" />`],
    [say('Route'), html`<code>${route}</code>`],
    [
      say('Answer'),
      html`<${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'bad'}>${status} ${code}<//>`,
    ],
    [say('Time'), `${grouped(String(durationMs))} ms`],
    [say('Size'), counted(bytes, 'byte')],
    [
      say('Key'),
      keyId === null
        ? html`<${Missing}>${say('none that is valid')}<//>`
        : html`<a href=${hrefTo('keys', keyId)}>${keyId}</a>`,
    ],
  ];
  const record = hrefWith(['record'], { by: 'request', id: requestId });
  return html`<div><${Facts} rows=${rows} isDense />${keyId !== null && html`<p class="small"><a href=${record}>${say('Its body and its price, from the record')}</a></p>`}</div>`;
}
