import { headerNames } from '../contract/limits.ts';
import type { Operation } from '../contract/openapi.ts';
import type { Sample } from './blocks.ts';

/** The environment variable that samples take the key from. Not of the names that configure the server. */
export const keyVariable = 'API_KEY';

/** How the client of this repository asks for what an operation gives. */
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
export function exampleTarget(path: string, { parameters }: Operation): string {
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
