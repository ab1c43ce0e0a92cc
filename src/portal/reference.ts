import * as contract from '../contract/limits.ts';
import type { Header } from '../contract/openapi-responses.ts';
import { type Block, code, codeBlock, heading, paragraph, shownJson, table } from './blocks.ts';
import { errorRows, exampleProblem } from './errors.ts';
import { fieldTable, valueNote } from './fields.ts';
import { durationInWords, translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import {
  commonErrors,
  commonRoute,
  headerAnchor,
  operationPage,
  operationRoute,
  operationTable,
  resolved,
} from './operations.ts';
import { identity, type Site } from './site.ts';

/** The reference, made from the OpenAPI document and the tables the code itself uses: a page an operation. */
export function referencePages(site: Site): readonly PortalPage[] {
  const paths = Object.keys(site.document.paths);
  const entries = [
    { route: '/docs', title: 'Overview' },
    ...paths.map((path) => ({ route: operationRoute(path), title: `GET ${path}` })),
    { route: commonRoute, title: 'Common errors and headers' },
  ];
  const pages = [overview(site), ...paths.map((path) => operationPage(site, path)), commonPage(site)];
  return pages.map((page) => ({ ...page, navigation: { title: 'Reference', entries } }));
}

function overview(site: Site): PortalPage {
  return {
    route: '/docs',
    title: 'Reference',
    description: 'Every endpoint, parameter, response, field, header, error and limit of the API.',
    kind: 'reference',
    body: [
      heading(1, 'Reference'),
      paragraph(
        'lead',
        translate(
          site,
          'Every operation of API version {version}, made from the [OpenAPI document](/openapi/v1.json). Base URL: {baseUrl}',
          { version: identity(site).version, baseUrl: code(site.baseUrl) },
        ),
      ),
      heading(2, 'Operations', 'operations'),
      operationTable(site, Object.keys(site.document.paths)),
      introduction(site),
      heading(2, 'Constants', 'constants'),
      constants(site),
    ],
  };
}

/** Says what a client must know before the first request, in the contract's words. */
function introduction(site: Site): string {
  const paragraphs = String(site.document.info.description).split('\n\n');
  return paragraphs
    .map((each) => (each.startsWith('|') ? withCellsIn(site, each) : translate(site, each.replaceAll('\n', ' '))))
    .join('\n\n');
}

function withCellsIn(site: Site, table: string): string {
  return table.replaceAll(/(?<=\| )[^|\n]+(?= \|)/g, (cell) => translate(site, cell));
}

/** The other constants a client may want to know. */
function constants(site: Site): string {
  const { min, max } = contract.maintenanceRetryAfterSeconds;
  const lines = [
    translate(site, 'The status of the ticker feed is `outage` once it is more than {duration} behind.', {
      duration: durationInWords(site, contract.tickerOutageAfterMs),
    }),
    translate(site, 'A delisted market stays in `GET /v1/markets` for {duration}.', {
      duration: durationInWords(site, contract.delistedListedForMs),
    }),
    translate(
      site,
      '`Retry-After` is {seconds} seconds while market data is not available. During maintenance it is the time to the expected end, from {min} to {max} seconds.',
      { seconds: contract.marketDataRetryAfterSeconds, min, max },
    ),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

/** The page about what all operations have in common. */
function commonPage(site: Site): PortalPage {
  const problem = { $ref: problemReference(site) };
  return {
    route: commonRoute,
    parent: '/docs',
    title: 'Common errors and headers',
    description: 'The errors common to all operations, the fields of an error, and every response header.',
    kind: 'reference',
    body: [
      heading(1, 'Common errors and headers'),
      paragraph('lead', 'What all operations have in common. The [list of errors](/errors) has every error.'),
      heading(2, 'Errors common to all operations', 'errors'),
      errorRows(site, 'Errors common to all operations', commonErrors(site)),
      heading(2, 'Fields of an error', 'problem'),
      'Every error is a problem document (RFC 9457) with the media type `application/problem+json`.',
      fieldTable(site, 'Fields of an error', problem),
      codeBlock('Example of an error', shownJson(exampleProblem(site, 'UNKNOWN_SYMBOL')), 'json'),
      heading(2, 'Response headers', 'headers'),
      headerTable(site),
    ],
  };
}

/** The schema of problems, by the reference of the first error of the document. */
function problemReference(site: Site): string {
  const [response] = Object.values(site.document.components.responses).filter(
    ({ content = {} }) => content['application/problem+json'] !== undefined,
  );
  return (response!.content!['application/problem+json']!.schema as { readonly $ref: string }).$ref;
}

/** Every response header, with an anchor for each. */
function headerTable(site: Site): Block {
  const headers = [...documentHeaders(site)];
  const rows = headers.map(([name, { description, schema, example }]) => [
    code(name),
    { text: description, note: valueNote(site, schema, example) },
  ]);
  const ids = headers.map(([name]) => headerAnchor(name));
  const columns = ['Header', 'Meaning'];
  return table({ label: 'Response headers', columns, rows, ids, kind: 'codes' });
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
