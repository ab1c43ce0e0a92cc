import { errorTable } from './errors.ts';
import {
  allowedMethods,
  contractLimits,
  headerNames,
  type LimitCategory,
  type LimitFigures,
  limitTable,
} from './limits.ts';
import { type Described, type DescribedService, operation, resources, securityScheme } from './openapi-operations.ts';
import { errorResponse, headerComponents, sharedErrors } from './openapi-responses.ts';
import { apiVersion, schemas } from './schemas.ts';

/** The part of OpenAPI 3.1 that the document uses. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/**
 * The OpenAPI 3.1 document of the service, from the schemas and tables the code itself uses. Equal
 * services give an equal document, member order included.
 */
export function openApiDocument({ limits = contractLimits, ...addresses }: DescribedService) {
  const service = { ...addresses, limits };
  return {
    openapi: '3.1.0',
    info: info(service),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: service.baseUrl, description: 'The service this document describes.', 'x-internal': false }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Service', description: 'The time and the status of the service.' },
      { name: 'Markets', description: 'Markets and their current prices.' },
      { name: 'Description', description: 'What needs no key: this description and the root document.' },
    ],
    paths: Object.fromEntries(resources.map((resource) => [resource.path, { get: operation(resource, service) }])),
    components: {
      schemas: schemas as Readonly<Record<string, unknown>>,
      headers: headerComponents(limits),
      responses: Object.fromEntries(
        Object.entries(sharedErrors).map(([name, errors]) => [name, errorResponse(errors, service)]),
      ),
      securitySchemes: { apiKey: securityScheme },
    },
    externalDocs: { description: 'Every error, what causes it and what to do.', url: service.errorsUrl },
  };
}

function info({ baseUrl, limits }: Described) {
  return {
    title: 'Market Data API',
    version: apiVersion,
    summary: 'Server time, service status, markets and current client prices of an exchange.',
    description: introduction(limits),
    contact: { name: 'The operator of this service', url: baseUrl },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

const transportCodes = sharedErrors.Transport.map((code) => `${errorTable[code].status} \`${code}\``).join(', ');

/** `info.description`: what a client must know before the first request, in CommonMark. */
function introduction(limits: LimitFigures): string {
  return `
Read-only market data over HTTP: the time of the server, the status of the service, the traded markets, and the current final
prices for clients. Every operation is a GET. Nothing changes state.

## First steps

Create an API key in the client application (profile and security, API keys), and send it verbatim with every request under
\`/v1\` in the header \`${headerNames.apiKey}\`. Keep keys on your server; they do not belong in a browser.

## Numbers and times

Prices and amounts are decimal strings, never JSON numbers, so that no digit is lost on the way. Every point in time comes
twice: as ISO 8601 text in UTC with milliseconds, and as milliseconds since the Unix epoch. Both are the same instant.

An optional field may be absent. It is never null, except for the fields of the status that say so.

## Prices

\`buyPrice\` and \`sellPrice\` are what a client pays and receives per unit of the base currency. They include the standard fee,
and a currency margin where the quote currency is converted (CZK). They are not a binding offer: a trade settles at the price
valid when the order is placed. All other prices are statistics of the exchange without fees.

## Limits

| Limit | Requests per minute | Counted |
|---|---|---|
${limitRows(limits)}

A key can have a limit of its own: the \`X-RateLimit\` headers state yours. The counts reset at every full minute and are independent. Every answer to a counted request shows what is left. Over a limit the answer is 429 with \`Retry-After\`: wait that many seconds.

## Errors

Every error is a problem (RFC 9457) of the media type \`application/problem+json\` with exactly six members. Decide on \`code\`,
not on the texts. \`type\` is the address of a page that explains the error and what to do.

Each operation lists the errors of its own. What can happen to any request, by its HTTP or by a fault of the server, is listed
once for all operations, in the response \`Transport\`: ${transportCodes}.

## Other methods and paths

HEAD answers every path below with the status and headers of the GET and no body, and counts as one request too. Any other
method gets 405 \`METHOD_NOT_ALLOWED\` with \`Allow: ${allowedMethods}\`. A method that HTTP does not know, \`get\` in lower case
among them, and CONNECT get the same before anything else is looked at: no limit counts them, and the connection ends. A path
that does not exist gets 404 \`NOT_FOUND\`, under \`/v1\` only with a valid key, and 400 \`BAD_REQUEST\` where its
percent-encoding is broken.

## Compression

Bodies of markets, tickers and this description are ready as gzip, br and zstd. Let your HTTP library negotiate: it sends the
\`Accept-Encoding\` that it can read.

## What can change within version 1

Fields, error codes and status values can be added. Ignore fields you do not know, and treat unknown values as unrecognized
without failing.
`.trim();
}

function limitRows(limits: LimitFigures): string {
  const rows = Object.entries(limitTable).map(
    ([category, { name, counting }]) => `| ${name} | ${limits[category as LimitCategory]} | ${counting} |`,
  );
  return rows.join('\n');
}
