import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitTable, pollingIntervals } from '../contract/limits.ts';
import { openApiDocument } from '../contract/openapi.ts';
import { pageHtml } from './layout.ts';
import { type Element, named, parsePage } from './parsed-page.testing.ts';
import { referencePage } from './reference.ts';

const addresses = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' };
const document = openApiDocument(addresses);
const site = { ...addresses, document, version: '1.0.0' };
const elements = parsePage(pageHtml(site, referencePage(site)));
const tables = new Map(
  elements.flatMap((element, index): [string, Element][] =>
    element.name === 'table' ? [[elements[index - 1]!.attributes.get('aria-label')!, element]] : [],
  ),
);

function tableText(label: string): string {
  const table = tables.get(label);
  assert.ok(table, `no table "${label}"`);
  return table.text;
}

test('every operation is shown with its purpose, its parameters, its responses and their headers', () => {
  const [main] = named(elements, 'main');
  for (const [path, { get }] of Object.entries(document.paths)) {
    assert.ok(main!.text.includes(`GET ${path}`) && main!.text.includes(get.summary), path);
    for (const { name } of get.parameters)
      assert.ok(tableText(`Parameters of ${path}`).includes(name), `${path} ${name}`);
    const responses = tableText(`Responses of ${path}`);
    for (const [status, response] of Object.entries(get.responses)) {
      assert.ok(responses.includes(status), `${path} ${status}`);
      if (!('$ref' in response))
        for (const name of Object.keys(response.headers)) assert.ok(responses.includes(name), name);
    }
  }
});

test('every example body of every operation is shown whole', () => {
  const shown = new Set(named(elements, 'pre').map(({ text }) => text));
  for (const [path, { get }] of Object.entries(document.paths)) {
    const success = get.responses['200']!;
    assert.ok(!('$ref' in success));
    const examples = Object.values(success.content!['application/json']!.examples);
    assert.ok(examples.length > 0, path);
    for (const { value, summary } of examples)
      assert.ok(shown.has(JSON.stringify(value, null, 2)), `${path} ${summary}`);
  }
});

test('every field of every schema is shown with its meaning and its pattern, those within objects too', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) checkFields(name, schema as Field, '');
});

interface Field {
  readonly description?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Field>>;
}

function checkFields(schemaName: string, { properties = {} }: Field, within: string): void {
  for (const [name, field] of Object.entries(properties)) {
    const shown = tableText(`Fields of ${schemaName}`);
    for (const text of [`${within}${name}`, field.description?.replaceAll('`', '') ?? '', field.pattern ?? '']) {
      assert.ok(shown.includes(text), `${schemaName}: ${within}${name}: ${text}`);
    }
    checkFields(schemaName, field, `${within}${name}.`);
  }
}

test('every limit and every recommended interval stands in a table', () => {
  const limits = tableText('Limits');
  for (const { name, requestsPerMinute, counting } of Object.values(limitTable)) {
    assert.ok(limits.includes(`${name}${requestsPerMinute}${counting}`), name);
  }
  const polling = tableText('Recommended polling intervals');
  for (const { path, reason } of pollingIntervals)
    assert.ok(polling.includes(`GET ${path}`) && polling.includes(reason), path);
  for (const words of ['every 5 seconds', 'every hour', 'every minute', 'once at start'])
    assert.ok(polling.includes(words));
});

test('the table of contents lists every section, operation and schema', () => {
  const [contents] = named(elements, 'nav').filter(({ attributes }) => attributes.get('class') === 'contents');
  const main = elements.slice(elements.findIndex(({ name }) => name === 'main'));
  for (const { text } of named(main, 'h2', 'h3')) assert.ok(contents!.text.includes(text), text);
});
