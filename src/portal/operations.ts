import { type ErrorCode, errorTable } from '../contract/errors.ts';
import type { Operation } from '../contract/openapi-operations.ts';
import type { Response } from '../contract/openapi-responses.ts';
import { html } from '../ground/html.ts';
import * as block from './blocks.ts';
import { errorRows } from './errors.ts';
import { fieldTable, hasOpenValues, type JsonSchema, nameCell, valueNote } from './fields.ts';
import { translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { keyBar, needsKey, requestSamples, tryIt } from './samples.ts';
import type { Site } from './site.ts';

/** The page of common errors and of response headers. */
export const commonRoute = '/docs/common';

/** The page of an operation: `/docs/ticker` for `/v1/ticker`. */
export function operationRoute(path: string): string {
  const name = path.replace(/^\/v1\//, '').replace(/^\/openapi\/.*$/, 'openapi');
  return `/docs/${name === '/' ? 'root' : name}`;
}

/** Operations with their purpose, and how often to ask, which is the second paragraph of a description. */
export function operationTable(site: Site, paths: readonly string[]): block.Block {
  const rows = paths.map((path): block.Cell[] => {
    const { summary, description } = site.document.paths[path]!.get;
    return [`[\`GET ${path}\`](${operationRoute(path)})`, { text: summary, note: description.split('\n\n')[1] }];
  });
  return block.table({ label: 'Operations', columns: ['Operation', 'What it returns'], rows, kind: 'operations' });
}

/** One operation: what it is for, what it takes, what it answers, how that looks, and a way to try it. */
export function operationPage(site: Site, path: string): PortalPage {
  const operation = site.document.paths[path]!.get;
  const success = resolved(site, operation.responses['200']!);
  const summary = translate(site, operation.summary);
  return {
    route: operationRoute(path),
    parent: '/docs',
    title: `GET ${path}`,
    description: `${summary}: ${translate(site, 'parameters, fields, errors and samples of {operation}.', { operation: `GET ${path}` })}`,
    kind: 'reference',
    scripts: ['try-it'],
    body: [
      operationHeading(path, summary),
      block.division(
        'columns',
        purpose(operation),
        samples(site, path, operation, success),
        details(site, path, operation, success),
      ),
    ],
  };
}

function operationHeading(path: string, summary: string): block.Block {
  return {
    html: () =>
      html`<h1>${summary}</h1>\n<p class="endpoint"><span class="method">GET</span> <code>${path}</code></p>\n`,
    markdown: () => `# ${summary}\n\nGET ${block.code(path)}`,
  };
}

function purpose(operation: Operation): block.Block {
  return block.frame(
    (inner) => html`<div>${inner}</div>\n`,
    ...operation.description.split('\n\n'),
    needsKey(operation) ? 'Needs an API key.' : 'Needs no API key.',
  );
}

function details(site: Site, path: string, operation: Operation, success: Response): block.Block {
  const schema = (success.content?.['application/json']?.schema ?? {}) as JsonSchema;
  return block.frame(
    (inner) => html`<div>${inner}</div>\n`,
    block.heading(2, 'Parameters', 'parameters'),
    parameterTable(site, path, operation),
    block.heading(2, 'Response fields', 'fields'),
    fieldTable(site, translate(site, 'Fields of {operation}', { operation: `GET ${path}` }), schema),
    hasOpenValues(site, schema) ? openNote : '',
    headerNote(site, success),
    block.heading(2, 'Errors', 'errors'),
    errorTableOf(site, path, operation),
    translate(site, 'Every operation can also answer with one of the [common errors]({route}).', {
      route: commonRoute,
    }),
  );
}

/** Between purpose and details, so that narrow screens have it early; beside both where there is room. */
function samples(site: Site, path: string, operation: Operation, success: Response): block.Block {
  const examples = examplesOf(success);
  const label = translate(site, 'Request for {path}', { path });
  return block.division(
    'shown',
    block.heading(2, 'Request and response', 'request'),
    block.codeTabs('request', label, requestSamples(site, path, operation)),
    needsKey(operation) ? keyBar(site) : '',
    tryIt(site, path, operation),
    examples.map(([name, value], index) => block.namedCode(name, block.shownJson(value), 'json', index > 0)),
  );
}

const openNote = block.paragraph(
  'note',
  '**Sets of values are open.** Version 1 can gain values at any time. Show a value that you do not know, do not act on it, and do not fail.',
);

function parameterTable(site: Site, path: string, operation: Operation): block.Content {
  const { parameters } = operation;
  const rows = parameters.map(({ name, in: place, required, description, schema, example }): block.Cell[] => [
    nameCell(site, name, translate(site, place), required),
    // Any value of a request header is accepted, so its form says nothing.
    { text: description, note: valueNote(site, place === 'query' ? schema : { type: 'string' }, example) },
  ]);
  if (needsKey(operation)) rows.unshift(keyRow(site));
  if (rows.length === 0) return 'None.';
  const label = translate(site, 'Parameters of {path}', { path });
  return block.table({ label, columns: ['Name', 'Meaning'], rows, kind: 'fields' });
}

function keyRow(site: Site): block.Cell[] {
  const { name, description } = site.document.components.securitySchemes.apiKey as {
    readonly name: string;
    readonly description: string;
  };
  return [nameCell(site, name, translate(site, 'header'), true), description];
}

/** Names the headers that an answer carries. */
function headerNote(site: Site, response: Response): string {
  const names = Object.entries(response.headers).map(([name, header]) => {
    const named = `[${name}](${commonRoute}#${headerAnchor(name)})`;
    const value = '$ref' in header ? undefined : (header.schema as JsonSchema).const;
    return value === undefined ? named : `${named}: ${block.code(String(value))}`;
  });
  return translate(site, 'Headers: {headers}.', { headers: names.join(', ') });
}

/** The anchor of a header in the table of response headers. */
export function headerAnchor(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** The errors of this operation that are not common to all with a key. */
function errorTableOf(site: Site, path: string, operation: Operation): block.Content {
  const common = new Set(commonErrors(site));
  const own = errorCodesOf(site, operation).filter((each) => !common.has(each));
  if (own.length === 0) return '';
  return errorRows(site, translate(site, 'Errors of {path}', { path }), own);
}

/** The errors that every operation under a key can answer with. */
export function commonErrors(site: Site): readonly ErrorCode[] {
  const [first = [], ...others] = Object.values(site.document.paths)
    .filter(({ get }) => needsKey(get))
    .map(({ get }) => errorCodesOf(site, get));
  return first.filter((each) => others.every((codes) => codes.includes(each)));
}

/** The codes that the examples of an operation's errors show, each once. */
function errorCodesOf(site: Site, { responses }: Operation): readonly ErrorCode[] {
  const codes = Object.values(responses).flatMap((reference) => {
    const { content = {} } = resolved(site, reference);
    const problems = Object.values(content['application/problem+json']?.examples ?? {});
    return problems.map(({ value }) => (value as { readonly code: string }).code);
  });
  return [...new Set(codes)].filter((each): each is ErrorCode => each in errorTable);
}

/** The response itself, where an operation only names it. */
export function resolved({ document }: Site, response: Operation['responses'][string]): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.slice('#/components/responses/'.length)]!;
}

/** The bodies that a response shows as examples, each with what it is of. */
export function examplesOf({ content = {} }: Response): [name: string, value: unknown][] {
  const examples = content['application/json']?.examples ?? {};
  return Object.values(examples).map(({ summary, value }) => [summary, value]);
}
