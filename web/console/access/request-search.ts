import { useState } from 'preact/hooks';
import type { Request as RequestBody } from '../../generated/management-v1.d.ts';
import { get, type Outcome } from '../api/client.ts';
import { html } from '../html.ts';
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
  return html`<${Section} title="Find a request">
    <${Search} label="Request id" placeholder="requestId of a problem, or X-Request-Id" onSearch=${search} />
    ${found !== undefined && (found.ok ? html`<${Found} request=${found.value} />` : html`<${ProblemBlock} problem=${found.problem} />`)}
  <//>`;
}

function Found({ request }: { request: RequestBody }) {
  const { requestId, route, status, code, atMs, durationMs, bytes, keyId } = request;
  const rows = [
    ['Answered', html`<${When} atMs=${atMs} as="second" />`],
    ['Route', html`<code>${route}</code>`],
    ['Answer', html`<${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'bad'}>${status} ${code}<//>`],
    ['Time', `${durationMs} ms`],
    ['Size', `${bytes} bytes`],
    [
      'Key',
      keyId === null ? html`<${Missing}>none that is valid<//>` : html`<a href=${hrefTo('keys', keyId)}>${keyId}</a>`,
    ],
  ];
  const record = hrefWith(['record'], { by: 'request', id: requestId });
  return html`<div><${Facts} rows=${rows} isDense />${keyId !== null && html`<p class="small"><a href=${record}>Its body and its price, from the record</a></p>`}</div>`;
}
