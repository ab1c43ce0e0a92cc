import { readFileSync } from 'node:fs';
import { headerNames } from '../contract/limits.ts';
import type { Operation } from '../contract/openapi-operations.ts';
import { type Html, html } from '../ground/html.ts';
import { type Block, browserOnly, type Sample } from './blocks.ts';
import { clientRoutes } from './client-packages.ts';
import { translate } from './language.ts';
import { link, type Site } from './site.ts';
import { fromTemplate } from './template.ts';

/** The environment variable that samples read the key from. It has none of the names that configure the server. */
const keyVariable = 'API_KEY';

/** A request for an operation with its required parameters, ready to be run once the key is set. */
export function requestSamples(
  service: Pick<Site, 'baseUrl' | 'version'>,
  path: string,
  operation: Operation,
): readonly Sample[] {
  const address = `${service.baseUrl}${exampleTarget(path, operation)}`;
  const keyed = needsKey(operation);
  return [
    { name: 'curl', language: 'sh', text: curlSample(address, keyed) },
    { name: 'TypeScript', language: 'ts', text: programSample('typescript', service, path, operation) },
    { name: 'Python', language: 'python', text: programSample('python', service, path, operation) },
  ];
}

export function needsKey({ security }: Operation): boolean {
  return security.length > 0;
}

function requiredOf({ parameters }: Operation) {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
}

/** The path with its required parameters, as in the document's examples. */
function exampleTarget(path: string, operation: Operation): string {
  const query = requiredOf(operation).map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function curlSample(address: string, keyed: boolean): string {
  const quoted = `'${address.replaceAll("'", "'\\''")}'`;
  return keyed ? `curl -i -H "${headerNames.apiKey}: $${keyVariable}" \\\n  ${quoted}` : `curl -i ${quoted}`;
}

/**
 * Both clients have a method for each resource with a key, of the name of its path; the first line installs the client
 * from this service. What needs no key is asked for with what the language has.
 */
function programSample(
  client: 'typescript' | 'python',
  { baseUrl, version }: Pick<Site, 'baseUrl' | 'version'>,
  path: string,
  operation: Operation,
): string {
  if (!needsKey(operation)) return sampleOf(`${client}-open`, { address: JSON.stringify(baseUrl + path) });
  const quote = client === 'python' ? '"' : "'";
  const values = requiredOf(operation).map(({ example }) => `${quote}${example}${quote}`);
  const install = baseUrl + clientRoutes(version)[client];
  const method = path.replace('/v1/', '');
  const given = { baseUrl: JSON.stringify(baseUrl), method, values: values.join(', ') };
  return sampleOf(`${client}-keyed`, { ...given, keyVariable, install });
}

/** A program of `samples/`, with the values in the places of their names. */
function sampleOf(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(`samples/${name}.txt`, import.meta.url), 'utf8').trimEnd();
  return text.replaceAll(/\{(\w+)\}/g, (_, value: string) => values[value]!);
}

/**
 * The one field for the key. It is in no form and has no value in the page, so only the scripts of this
 * page send it, and they keep it for the tab alone. Hidden without scripts.
 */
export function keyBar(site: Site): Block {
  return browserOnly(() => fromTemplate(site, 'key-bar'));
}

/** The form that sends an operation's request from the browser, and fills the samples. Hidden without scripts. */
export function tryIt(site: Site, path: string, operation: Operation): Block {
  const { operationId, parameters } = operation;
  return browserOnly(() =>
    fromTemplate(site, 'try-it', {
      label: translate(site, 'Try {operation}', { operation: `GET ${path}` }),
      operation: operationId,
      path: link(site, path),
      markets: link(site, '/v1/markets'),
      keyed: needsKey(operation) ? html` data-key-header="${headerNames.apiKey}"` : undefined,
      fields: parameters.map((each) => field(site, each)),
    }),
  );
}

function field(site: Site, { name, in: place, required, example }: Operation['parameters'][number]): Html {
  const id = `try-${name.toLowerCase()}`;
  const given = required ? html` value="${example}" required="required"` : undefined;
  const kind = required ? translate(site, place) : `${translate(site, place)}, ${translate(site, 'optional')}`;
  const isSymbol = name === 'symbol';
  const list = isSymbol ? html` list="symbols"` : undefined;
  const choices = isSymbol
    ? html`<datalist id="symbols"></datalist><span class="quiet small" id="symbols-note">${translate(site, 'Once a key is entered, this field lists the markets. Loading them takes one request.')}</span>`
    : undefined;
  return html`<p class="field"><label for="${id}">${name} <span class="quiet">${kind}</span></label>
<input type="text" id="${id}" name="${name}" data-in="${place}" data-example="${example}" autocomplete="off" autocapitalize="off" spellcheck="false"${given}${list}>${choices}</p>
`;
}
