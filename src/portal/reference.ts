import { errorCodes, errorTable } from '../contract/errors.ts';
import {
  delistedListedForMs,
  maintenanceRetryAfterSeconds,
  marketDataRetryAfterSeconds,
  pollingIntervals,
  tickerOutageAfterMs,
} from '../contract/limits.ts';
import type { Header } from '../contract/openapi-headers.ts';
import { type Block, code, heading, paragraph, statusText, table } from './blocks.ts';
import { errorLink } from './errors.ts';
import type { PortalPage } from './layout.ts';
import { headingsOf } from './markdown.ts';
import { headerAnchor, operationSection, resolved } from './operations.ts';
import { keyBar } from './samples.ts';
import { constraints, schemaAnchor, schemaSection, sentences, typeOf } from './schemas.ts';
import { identity, type Site } from './site.ts';
import { durationInWords, intervalInWords } from './words.ts';

/** The reference, made from the OpenAPI document and the tables the code itself uses. */
export function referencePage(site: Site): PortalPage {
  const { document, baseUrl } = site;
  const introduction = String(document.info.description);
  const operations = Object.entries(document.paths);
  const schemas = Object.entries(document.components.schemas);
  const entries = [
    ...headingsOf(introduction).map(({ id, title }) => ({ target: `#${id}`, title })),
    { target: '#polling', title: 'Polling' },
    {
      target: '#operations',
      title: 'Operations',
      below: operations.map(([path, { get }]) => ({ target: `#${get.operationId}`, title: `GET ${path}` })),
    },
    {
      target: '#schemas',
      title: 'Schemas',
      below: schemas.map(([name]) => ({ target: `#${schemaAnchor(name)}`, title: name, isDeep: true })),
    },
    { target: '#response-headers', title: 'Response headers' },
    { target: '#error-codes', title: 'Error codes' },
  ];
  return {
    route: '/docs',
    title: 'Reference',
    description: 'Every endpoint, parameter, response, field, header, error and limit of the API.',
    kind: 'reference',
    scripts: ['try-it'],
    navigation: { title: 'On this page', entries },
    body: [
      heading(1, 'Reference'),
      paragraph(
        'lead',
        `Every operation, field, header and limit of API version ${identity(site).version}, generated from the [OpenAPI document](/openapi/v1.json). Base URL: ${code(baseUrl)}`,
      ),
      keyBar,
      introduction,
      heading(2, 'Polling', 'polling'),
      pollingTable(site),
      limitNotes,
      heading(2, 'Operations', 'operations'),
      'HEAD answers each of these paths with the status and headers of the GET and no body. It counts as one request too.',
      operations.map(([path, { get }]) => operationSection(site, path, get)),
      heading(2, 'Schemas', 'schemas'),
      schemas.map(([name, schema]) => schemaSection(name, schema as object)),
      heading(2, 'Response headers', 'response-headers'),
      headerTable(site),
      heading(2, 'Error codes', 'error-codes'),
      'Each code has a page that explains its cause and what to do.',
      errorCodeTable(),
    ],
  };
}

/** How often to ask for what (contract, Limits, rule 5). */
function pollingTable({ document }: Site): Block {
  const rows = pollingIntervals.map(({ path, intervalMs, reason }) => [
    { text: `[\`GET ${path}\`](#${document.paths[path]!.get.operationId})`, isWord: true },
    { text: intervalInWords(intervalMs), isWord: true },
    reason,
  ]);
  return table({ label: 'Recommended polling intervals', columns: ['Endpoint', 'Interval', 'Reason'], rows });
}

const { min: shortestSeconds, max: longestSeconds } = maintenanceRetryAfterSeconds;

/** The other constants a client may want to know. */
const limitNotes = `- The status of the ticker feed is \`outage\` once it is more than ${durationInWords(tickerOutageAfterMs)} behind.
- A delisted market stays in \`GET /v1/markets\` for ${durationInWords(delistedListedForMs)}.
- \`Retry-After\` is ${marketDataRetryAfterSeconds} seconds while market data is not available. During maintenance it is the time to the expected end, from ${shortestSeconds} to ${longestSeconds} seconds.`;

/** Every response header, with an anchor for each. */
function headerTable(site: Site): Block {
  const headers = [...documentHeaders(site)];
  const rows = headers.map(([name, { description, schema, example }]) => [
    code(name),
    {
      text: description,
      note: sentences(
        `Type ${typeOf(schema)}.`,
        constraints({ ...schema, const: undefined }),
        `Example ${code(String(example))}.`,
      ),
    },
  ]);
  const ids = headers.map(([name]) => headerAnchor(name));
  return table({ label: 'Response headers', columns: ['Header', 'Meaning'], rows, ids, kind: 'codes' });
}

/** Every header of every response, each once, as the document first describes it. */
function documentHeaders(site: Site): ReadonlyMap<string, Header> {
  const found = new Map<string, Header>();
  for (const { get } of Object.values(site.document.paths)) {
    for (const reference of Object.values(get.responses)) {
      for (const [name, header] of Object.entries(resolved(site, reference).headers)) {
        const shared = site.document.components.headers[name] as Header | undefined;
        if (!found.has(name)) found.set(name, shared ?? (header as Header));
      }
    }
  }
  return found;
}

/** Every error code, with its page. */
function errorCodeTable(): Block {
  const rows = errorCodes.map((each) => {
    const { status, title, retryable } = errorTable[each];
    return [
      { text: errorLink(each), isWord: true },
      { text: statusText(status), isWord: true },
      retryable ? 'Yes' : 'No',
      title,
    ];
  });
  return table({ label: 'Error codes', columns: ['Code', 'Status', 'Retry', 'Title'], rows, kind: 'short' });
}
