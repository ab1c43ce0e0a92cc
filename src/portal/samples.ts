import { headerNames } from '../contract/limits.ts';
import type { Operation } from '../contract/openapi.ts';
import { type Html, html } from '../html.ts';
import { type Block, browserOnly, type Sample } from './blocks.ts';
import { link } from './site.ts';

/** The environment variable that samples read the key from. It has none of the names that configure the server. */
const keyVariable = 'API_KEY';

/** The call of the TypeScript client for each operation. */
const clientCalls: Readonly<Record<string, { readonly name: string; readonly call: string }>> = {
  getServerTime: { name: 'time', call: 'time()' },
  getServiceStatus: { name: 'status', call: 'status()' },
  listMarkets: { name: 'markets', call: 'markets()' },
  getTicker: { name: 'ticker', call: "ticker('BTCEUR')" },
  listTickers: { name: 'tickers', call: 'tickers()' },
};

/** A request for an operation with its required parameters, ready to be run once the key is set. */
export function requestSamples(baseUrl: string, path: string, operation: Operation): readonly Sample[] {
  const address = `${baseUrl}${exampleTarget(path, operation)}`;
  const keyed = needsKey(operation);
  return [
    { name: 'curl', language: 'sh', text: curlSample(address, keyed) },
    { name: 'TypeScript', language: 'ts', text: typescriptSample(baseUrl, address, operation) },
    { name: 'Python', language: 'python', text: pythonSample(address, keyed) },
  ];
}

export function needsKey({ security }: Operation): boolean {
  return security.length > 0;
}

/** The path with its required parameters, as in the document's examples. */
function exampleTarget(path: string, { parameters }: Operation): string {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function curlSample(address: string, keyed: boolean): string {
  const quoted = `'${address.replaceAll("'", "'\\''")}'`;
  return keyed ? `curl -H "${headerNames.apiKey}: $${keyVariable}" \\\n  ${quoted}` : `curl ${quoted}`;
}

function typescriptSample(baseUrl: string, address: string, { operationId }: Operation): string {
  const call = clientCalls[operationId];
  if (call === undefined) {
    return `const response = await fetch(\n  ${JSON.stringify(address)},\n);\nconsole.log(await response.json());`;
  }
  return `import { createClient } from 'market-data-client';

const client = createClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.${keyVariable}!,
});

const ${call.name} = await client.${call.call};
console.log(${call.name});`;
}

function pythonSample(address: string, keyed: boolean): string {
  if (!keyed) {
    return `import json, urllib.request

address = ${JSON.stringify(address)}
with urllib.request.urlopen(address, timeout=10) as response:
    print(json.load(response))`;
  }
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"${headerNames.apiKey}": os.environ["${keyVariable}"]},
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(json.load(response))`;
}

/**
 * The one field for the key. It is in no form and has no value in the page, so only the scripts of this
 * page send it, and they keep it in memory. Hidden without scripts.
 */
export const keyBar = browserOnly(
  () => html`<div class="key-bar" data-web="key" hidden="hidden">
<label for="api-key">API key for trying requests</label>
<input type="password" id="api-key" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="mdk_..." aria-describedby="api-key-note">
<button type="button" id="api-key-shown" aria-pressed="false">Show</button>
<p id="api-key-note" class="quiet small">The key stays in the memory of this page until you leave it, and is sent only to this service. Anywhere else, keep keys on a server.</p>
</div>
`,
);

/** The form that sends an operation's request from the browser. Hidden without scripts. */
export function tryIt(path: string, operation: Operation): Block {
  const { operationId, parameters } = operation;
  const fields = parameters.map((each) => field(operationId, each));
  const keyed = needsKey(operation)
    ? html` data-key-header="${headerNames.apiKey}" data-key-variable="${keyVariable}"`
    : undefined;
  return browserOnly((site) => {
    const addresses = html`data-path="${link(site, path)}" data-address="${site.baseUrl}${path}"`;
    return html`<form class="try" hidden="hidden" aria-label="Try GET ${path}" data-operation="${operationId}" ${addresses}${keyed}>
<h4>Try it</h4>
${fields}<p><button type="submit">Send request</button></p>
<p class="outcome" role="status"></p>
<div class="result"></div>
</form>
`;
  });
}

function field(operationId: string, { name, in: place, required, example }: Operation['parameters'][number]): Html {
  const id = `try-${operationId}-${name.toLowerCase()}`;
  const given = required ? html` value="${example}" required="required"` : undefined;
  return html`<p class="field"><label for="${id}">${name} <span class="quiet">${place}${required ? '' : ', optional'}</span></label>
<input type="text" id="${id}" name="${name}" data-in="${place}" autocomplete="off" autocapitalize="off" spellcheck="false"${given}></p>
`;
}
