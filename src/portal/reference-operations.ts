import { type ErrorCode, errorTable } from '../contract/errors.ts';
import type { Operation } from '../contract/openapi.ts';
import type { MediaType, Response } from '../contract/openapi-errors.ts';
import type { Header } from '../contract/openapi-headers.ts';
import { type Fragment, type Html, html, joined } from '../html.ts';
import { type Cell, code, codeBlock, codeTabs, shownJson, table } from './blocks.ts';
import { errorLink } from './errors.ts';
import { prose, sentence } from './prose.ts';
import { constraints, type JsonSchema, nameCell, schemaLink, typeOf } from './reference-schemas.ts';
import { needsKey, requestSamples } from './samples.ts';
import type { Site } from './site.ts';
import { tryIt } from './try-it.ts';

/** One operation: what it is for, what it takes, what it answers, how that looks, and a way to try it. */
export function operationSection(site: Site, path: string, operation: Operation): Html {
  const { operationId, summary, description } = operation;
  const success = resolved(site, operation.responses['200']!);
  return html`<section class="operation" aria-labelledby="${operationId}">
<h3 id="${operationId}"><span class="method">GET</span> ${code(path)}</h3>
<div class="columns"><div class="told">
<p><strong>${summary}.</strong> ${needsKey(operation) ? 'Needs an API key.' : 'Needs no API key.'}</p>
${prose(description)}<h4>Parameters</h4>
${parameterTable(site, path, operation)}<h4>Responses</h4>
${responseTable(site, path, operation)}</div>
<div class="shown">
<h4>Request</h4>
${codeTabs(`request-${operationId}`, `Request for ${path}`, requestSamples(site.baseUrl, path, operation))}${tryIt(site, path, operation)}<h4>${examplesOf(success).length === 1 ? 'Example body' : 'Example bodies'}</h4>
${exampleBodies(success)}</div></div></section>
`;
}

function parameterTable({ document }: Site, path: string, operation: Operation): Html {
  const rows = operation.parameters.map(({ name, in: place, required, description, schema, example }): Cell[] => [
    nameCell(name, place, required),
    html`${sentence(description)}<p class="quiet small">Type ${typeOf(schema)}. ${constraints(schema)} Example ${code(example)}.</p>`,
  ]);
  if (needsKey(operation)) rows.unshift(keyRow(document.components.securitySchemes.apiKey as KeyScheme));
  if (rows.length === 0) return html`<p>None.</p>\n`;
  return table({ label: `Parameters of ${path}`, columns: ['Name', 'Meaning'], rows });
}

interface KeyScheme {
  readonly name: string;
  readonly description: string;
}

function keyRow({ name, description }: KeyScheme): Cell[] {
  return [nameCell(name, 'header', true), sentence(description)];
}

function responseTable(site: Site, path: string, { responses }: Operation): Html {
  const rows = Object.entries(responses).map(([status, reference]) => {
    const response = resolved(site, reference);
    return [
      { word: status },
      html`${sentence(response.description)}${bodyOf(site, response)}<p class="quiet small headers">Headers: ${headerList(response)}.</p>`,
    ];
  });
  return table({ label: `Responses of ${path}`, columns: ['Status', 'Meaning'], rows });
}

function bodyOf(site: Site, response: Response): Fragment {
  const codes = errorCodesOf(response);
  if (codes.length > 0) {
    const links = codes.map((each) => errorLink(site, each));
    return html`<p>${joined(links, ', ')}</p>`;
  }
  const bodies = Object.entries(response.content ?? {}).map(([mediaType, { schema }]) => {
    const { $ref } = schema as JsonSchema;
    return html`${$ref === undefined ? 'a page' : schemaLink($ref)} as ${code(mediaType)}`;
  });
  return bodies.length === 0 ? undefined : html`<p>${joined(bodies, ', or ')}.</p>`;
}

/** The codes that the examples of an error response show, each once. */
export function errorCodesOf({ content = {} }: Response): ErrorCode[] {
  const problems = Object.values(content['application/problem+json']?.examples ?? {});
  const codes = problems.map(({ value }) => (value as { readonly code: string }).code);
  return [...new Set(codes)].filter((each): each is ErrorCode => each in errorTable);
}

/** Headers by name; one with a single value shows it, and one that can be missing says so. */
function headerList({ headers }: Response): Fragment {
  const names = Object.entries(headers).map(([name, header]) => {
    const named = html`<a href="#${headerAnchor(name)}">${name}</a>`;
    if ('$ref' in header) return named;
    const { const: value } = header.schema as JsonSchema;
    return html`${named}${value === undefined ? undefined : html`: ${code(String(value))}`}${header.required ? undefined : ' (not always)'}`;
  });
  return joined(names, '; ');
}

/** The anchor of a header in the table of response headers. */
export function headerAnchor(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** Every header of every response, each once, as the document first describes it. */
export function documentHeaders(site: Site): ReadonlyMap<string, Header> {
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

/** The response itself, where an operation only names it. */
function resolved({ document }: Site, response: Operation['responses'][string]): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.slice('#/components/responses/'.length)]!;
}

function examplesOf({ content = {} }: Response): [string, unknown][] {
  const examples: MediaType['examples'] = content['application/json']?.examples ?? {};
  return Object.values(examples).map(({ summary, value }) => [summary, value]);
}

/** The first is shown, the others open on demand. */
function exampleBodies(response: Response): Html {
  const [first, ...others] = examplesOf(response);
  return html`${first && html`<figure><figcaption>${first[0]}</figcaption>${codeBlock(first[0], shownJson(first[1]), 'json')}</figure>\n`}${others.map(
    ([summary, value]) =>
      html`<details><summary>${summary}</summary>${codeBlock(summary, shownJson(value), 'json')}</details>\n`,
  )}`;
}
