import {
  delistedListedForMs,
  maintenanceRetryAfterSeconds,
  marketDataRetryAfterSeconds,
  pollingIntervals,
  tickerOutageAfterMs,
} from '../contract/limits.ts';
import type { Header } from '../contract/openapi-headers.ts';
import { type Block, code, codeBlock, heading, paragraph, shownJson, table } from './blocks.ts';
import { exampleProblem } from './errors.ts';
import { constraints, fieldTable, sentences, typeOf } from './fields.ts';
import { say } from './language.ts';
import type { Entry, PortalPage } from './layout.ts';
import { headingsOf } from './markdown.ts';
import {
  commonErrors,
  commonRoute,
  errorRows,
  headerAnchor,
  operationPage,
  operationRoute,
  operationSections,
  resolved,
} from './operations.ts';
import { identity, type Site } from './site.ts';
import { durationInWords, intervalInWords } from './words.ts';

/** The reference, made from the OpenAPI document and the tables the code itself uses: a page an operation. */
export function referencePages(site: Site): readonly PortalPage[] {
  const operations = Object.keys(site.document.paths).map((path) => operationPage(site, path));
  return [overview(site), ...operations, commonPage(site)].map((page) => ({
    ...page,
    navigation: { title: say(site, 'Reference'), entries: entriesFor(site, page.route) },
  }));
}

/** All pages of the reference, and the sections of the one that is read. */
function entriesFor(site: Site, route: string): readonly Entry[] {
  const entry = (target: string, title: string, below: readonly Entry[]) => ({
    target,
    title,
    ...(target === route ? { below } : {}),
  });
  const operations = Object.entries(site.document.paths).map(([path]) =>
    entry(operationRoute(path), `GET ${path}`, operationSections(site)),
  );
  return [
    entry('/docs', say(site, 'Overview'), overviewSections(site)),
    ...operations,
    entry(commonRoute, say(site, 'Common errors and headers'), commonSections(site)),
  ];
}

function overviewSections(site: Site): readonly Entry[] {
  return [
    { target: '#operations', title: say(site, 'Operations') },
    ...headingsOf(introduction(site)).map(({ id, title }) => ({ target: `#${id}`, title })),
    { target: '#constants', title: say(site, 'Constants') },
  ];
}

function overview(site: Site): PortalPage {
  return {
    route: '/docs',
    title: say(site, 'Reference'),
    description: say(site, 'Every endpoint, parameter, response, field, header, error and limit of the API.'),
    kind: 'reference',
    body: [
      heading(1, say(site, 'Reference')),
      paragraph(
        'lead',
        say(
          site,
          'Every operation of API version {version}, made from the [OpenAPI document](/openapi/v1.json). Base URL: {baseUrl}',
          { version: identity(site).version, baseUrl: code(site.baseUrl) },
        ),
      ),
      heading(2, say(site, 'Operations'), 'operations'),
      operationTable(site),
      introduction(site),
      heading(2, say(site, 'Constants'), 'constants'),
      constants(site),
    ],
  };
}

/** What a client must know before the first request, as the contract says it. */
function introduction(site: Site): string {
  const paragraphs = String(site.document.info.description).split('\n\n');
  return paragraphs
    .map((each) => (each.startsWith('|') ? tableIn(site, each) : say(site, onOneLine(each))))
    .join('\n\n');
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

function tableIn(site: Site, text: string): string {
  const cells = (row: string) => row.split('|').map((cell) => say(site, cell.trim()));
  return text
    .split('\n')
    .map((row) => cells(row).join(' | ').trim())
    .join('\n');
}

/** Every operation, and how often to ask (contract, Limits, rule 5). */
function operationTable(site: Site): Block {
  const rows = Object.entries(site.document.paths).map(([path, { get }]) => {
    const advice = pollingIntervals.find((each) => each.path === path);
    return [
      { text: `[\`GET ${path}\`](${operationRoute(path)})`, isWord: true },
      advice === undefined ? '' : { text: intervalInWords(site, advice.intervalMs), isWord: true },
      { text: say(site, get.summary), note: advice && say(site, advice.reason) },
    ];
  });
  const columns = [say(site, 'Operation'), say(site, 'Poll'), say(site, 'What it returns')];
  return table({ label: say(site, 'Operations'), columns, rows });
}

/** The other constants a client may want to know. */
function constants(site: Site): string {
  const { min, max } = maintenanceRetryAfterSeconds;
  const lines = [
    say(site, 'The status of the ticker feed is `outage` once it is more than {duration} behind.', {
      duration: durationInWords(site, tickerOutageAfterMs),
    }),
    say(site, 'A delisted market stays in `GET /v1/markets` for {duration}.', {
      duration: durationInWords(site, delistedListedForMs),
    }),
    say(
      site,
      '`Retry-After` is {seconds} seconds while market data is not available. During maintenance it is the time to the expected end, from {min} to {max} seconds.',
      { seconds: marketDataRetryAfterSeconds, min, max },
    ),
    say(
      site,
      'HEAD answers each of these paths with the status and headers of the GET and no body. It counts as a request too.',
    ),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function commonSections(site: Site): readonly Entry[] {
  return [
    { target: '#errors', title: say(site, 'Errors of every operation') },
    { target: '#problem', title: say(site, 'Fields of an error') },
    { target: '#headers', title: say(site, 'Response headers') },
  ];
}

/** What holds for all operations is said once: here. */
function commonPage(site: Site): PortalPage {
  const problem = { $ref: problemReference(site) };
  return {
    route: commonRoute,
    parent: '/docs',
    title: say(site, 'Common errors and headers'),
    description: say(
      site,
      'The errors that every operation can answer with, the shape of an error, and every response header.',
    ),
    kind: 'reference',
    body: [
      heading(1, say(site, 'Common errors and headers')),
      paragraph(
        'lead',
        say(site, 'What every operation has in common. All errors are on the [list of errors](/errors).'),
      ),
      heading(2, say(site, 'Errors of every operation'), 'errors'),
      errorRows(site, say(site, 'Errors of every operation'), commonErrors(site)),
      heading(2, say(site, 'Fields of an error'), 'problem'),
      say(site, 'Every error is a problem document (RFC 9457) with the media type `application/problem+json`.'),
      fieldTable(site, say(site, 'Fields of an error'), problem),
      codeBlock(say(site, 'Example of an error'), shownJson(exampleProblem(site, 'UNKNOWN_SYMBOL')), 'json'),
      heading(2, say(site, 'Response headers'), 'headers'),
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
    {
      text: say(site, description),
      note: sentences(
        say(site, 'Type {type}.', { type: typeOf(site, schema) }),
        constraints(site, { ...schema, const: undefined }),
        say(site, 'Example {example}.', { example: code(String(example)) }),
      ),
    },
  ]);
  const ids = headers.map(([name]) => headerAnchor(name));
  const columns = [say(site, 'Header'), say(site, 'Meaning')];
  return table({ label: say(site, 'Response headers'), columns, rows, ids, kind: 'codes' });
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
