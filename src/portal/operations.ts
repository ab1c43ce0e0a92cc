import { type ErrorCode, errorTable } from '../contract/errors.ts';
import type { Operation } from '../contract/openapi.ts';
import type { Response } from '../contract/openapi-errors.ts';
import { html } from '../html.ts';
import {
  type Block,
  type Cell,
  type Content,
  code,
  codeTabs,
  division,
  frame,
  heading,
  namedCode,
  shownJson,
  table,
} from './blocks.ts';
import { errorLink } from './errors.ts';
import { needsKey, requestSamples, tryIt } from './samples.ts';
import { constraints, type JsonSchema, nameCell, schemaLink, sentences, typeOf } from './schemas.ts';
import type { Site } from './site.ts';

/** One operation: what it is for, what it takes, what it answers, how that looks, and a way to try it. */
export function operationSection(site: Site, path: string, operation: Operation): Block {
  const { operationId, summary, description } = operation;
  const examples = examplesOf(resolved(site, operation.responses['200']!));
  return frame(
    (inner) => html`<section class="operation" aria-labelledby="${operationId}">\n${inner}</section>\n`,
    operationHeading(operationId, path),
    division(
      'columns',
      frame(
        (inner) => html`<div>${inner}</div>\n`,
        `**${summary}.** ${needsKey(operation) ? 'Needs an API key.' : 'Needs no API key.'}`,
        description,
        heading(4, 'Parameters'),
        parameterTable(site, path, operation),
        heading(4, 'Responses'),
        responseTable(site, path, operation),
      ),
      division(
        'shown',
        heading(4, 'Request'),
        codeTabs(`request-${operationId}`, `Request for ${path}`, requestSamples(site.baseUrl, path, operation)),
        tryIt(path, operation),
        heading(4, examples.length === 1 ? 'Example body' : 'Example bodies'),
        examples.map(([name, value], index) => namedCode(name, shownJson(value), 'json', index > 0)),
      ),
    ),
  );
}

function operationHeading(operationId: string, path: string): Block {
  return {
    html: () => html`<h3 id="${operationId}"><span class="method">GET</span> <code>${path}</code></h3>\n`,
    markdown: `### GET ${code(path)}`,
  };
}

function parameterTable({ document }: Site, path: string, operation: Operation): Content {
  const rows = operation.parameters.map(({ name, in: place, required, description, schema, example }): Cell[] => [
    nameCell(name, place, required),
    { text: description, note: sentences(`Type ${typeOf(schema)}.`, constraints(schema), `Example ${code(example)}.`) },
  ]);
  if (needsKey(operation)) rows.unshift(keyRow(document.components.securitySchemes.apiKey as KeyScheme));
  if (rows.length === 0) return 'None.';
  return table({ label: `Parameters of ${path}`, columns: ['Name', 'Meaning'], rows });
}

interface KeyScheme {
  readonly name: string;
  readonly description: string;
}

function keyRow({ name, description }: KeyScheme): Cell[] {
  return [nameCell(name, 'header', true), description];
}

function responseTable(site: Site, path: string, { responses }: Operation): Block {
  const rows = Object.entries(responses).map(([status, reference]): Cell[] => {
    const response = resolved(site, reference);
    const note = `Headers: ${headerList(response)}.`;
    return [
      { text: status, isWord: true },
      { text: response.description, more: bodyOf(response), note },
    ];
  });
  return table({ label: `Responses of ${path}`, columns: ['Status', 'Meaning'], rows });
}

function bodyOf(response: Response): string | undefined {
  const errors = errorCodesOf(response);
  if (errors.length > 0) return errors.map(errorLink).join(', ');
  const bodies = Object.entries(response.content ?? {}).map(([mediaType, { schema }]) => {
    const { $ref } = schema as JsonSchema;
    return `${$ref === undefined ? 'a page' : schemaLink($ref)} as ${code(mediaType)}`;
  });
  return bodies.length === 0 ? undefined : `${bodies.join(', or ')}.`;
}

/** The codes that the examples of an error response show, each once. */
function errorCodesOf({ content = {} }: Response): ErrorCode[] {
  const problems = Object.values(content['application/problem+json']?.examples ?? {});
  const codes = problems.map(({ value }) => (value as { readonly code: string }).code);
  return [...new Set(codes)].filter((each): each is ErrorCode => each in errorTable);
}

/** Headers by name; one with a single value shows it, and one that can be missing says so. */
function headerList({ headers }: Response): string {
  const names = Object.entries(headers).map(([name, header]) => {
    const named = `[${name}](#${headerAnchor(name)})`;
    if ('$ref' in header) return named;
    const { const: value } = header.schema as JsonSchema;
    return `${named}${value === undefined ? '' : `: ${code(String(value))}`}${header.required ? '' : ' (not always)'}`;
  });
  return names.join('; ');
}

/** The anchor of a header in the table of response headers. */
export function headerAnchor(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** The response itself, where an operation only names it. */
export function resolved({ document }: Site, response: Operation['responses'][string]): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.slice('#/components/responses/'.length)]!;
}

function examplesOf({ content = {} }: Response): [name: string, value: unknown][] {
  const examples = content['application/json']?.examples ?? {};
  return Object.values(examples).map(({ summary, value }) => [summary, value]);
}
