import { errorCodes, errorTable } from '../contract/errors.ts';
import {
  delistedListedForMs,
  maintenanceRetryAfterSeconds,
  marketDataRetryAfterSeconds,
  pollingIntervals,
  tickerOutageAfterMs,
} from '../contract/limits.ts';
import { type Html, html } from '../html.ts';
import { code, statusText, table } from './blocks.ts';
import { errorLink } from './errors.ts';
import { sentence } from './prose.ts';
import { documentHeaders, headerAnchor } from './reference-operations.ts';
import { constraints, typeOf } from './reference-schemas.ts';
import type { Site } from './site.ts';
import { durationInWords, intervalInWords } from './words.ts';

/** How often to ask for what (contract, Limits, rule 5). */
export function pollingTable({ document }: Site): Html {
  const rows = pollingIntervals.map(({ path, intervalMs, reason }) => [
    { word: html`<a href="#${document.paths[path]!.get.operationId}">${code(`GET ${path}`)}</a>` },
    { word: intervalInWords(intervalMs) },
    reason,
  ]);
  return table({ label: 'Recommended polling intervals', columns: ['Endpoint', 'Interval', 'Reason'], rows });
}

/** The other constants a client may want to know. */
export function limitNotes(): Html {
  const { min, max } = maintenanceRetryAfterSeconds;
  return html`<ul>
<li>The limits above are the defaults; the operator can set others. The <code>X-RateLimit</code> headers tell yours.</li>
<li>The status of the ticker feed is <code>outage</code> once it is more than ${durationInWords(tickerOutageAfterMs)} behind.</li>
<li>A delisted market stays in <code>GET /v1/markets</code> for ${durationInWords(delistedListedForMs)}.</li>
<li><code>Retry-After</code> is ${marketDataRetryAfterSeconds} seconds while market data is not available; during maintenance it is the time to the
expected end, from ${min} to ${max} seconds.</li>
</ul>
`;
}

/** Every response header, with an anchor for each. */
export function headerTable(site: Site): Html {
  const headers = [...documentHeaders(site)];
  const rows = headers.map(([name, { description, schema, example }]) => [
    code(name),
    html`${sentence(description)}<p class="quiet small">Type ${typeOf(schema)}. ${constraints({ ...schema, const: undefined })} Example ${code(String(example))}.</p>`,
  ]);
  const ids = headers.map(([name]) => headerAnchor(name));
  return table({ label: 'Response headers', columns: ['Header', 'Meaning'], rows, ids, kind: 'codes' });
}

/** Every error code, with its page. */
export function errorTableBlock(site: Site): Html {
  const rows = errorCodes.map((each) => {
    const { status, title, retryable } = errorTable[each];
    return [{ word: errorLink(site, each) }, { word: statusText(status) }, retryable ? 'Yes' : 'No', title];
  });
  return table({ label: 'Error codes', columns: ['Code', 'Status', 'Retry', 'Title'], rows, kind: 'short' });
}
