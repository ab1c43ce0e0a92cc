import { errorTable } from './errors.ts';
import { type LimitCategory, type LimitFigures, limitTable } from './limits.ts';
import { sharedErrors } from './openapi-responses.ts';

/** `info.description`: what a client must know before the first request, in CommonMark. */
export function introduction(limits: LimitFigures): string {
  return `Read-only market data over HTTP: the time of the server, the status of the service, the traded markets, and the current final
prices for clients. Every operation is a GET. Nothing changes state.

## First steps

Create an API key in the client application (profile and security, API keys), and send it verbatim with every request under
\`/v1\` in the header \`X-EXCHANGE-APIKEY\`. Keep keys on your server; they do not belong in a browser.

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
method gets 405 \`METHOD_NOT_ALLOWED\` with \`Allow: GET, HEAD\`. A method that HTTP does not know, \`get\` in lower case
among them, and CONNECT get the same before anything else is looked at: no limit counts them, and the connection ends. A path
that does not exist gets 404 \`NOT_FOUND\`, under \`/v1\` only with a valid key, and 400 \`BAD_REQUEST\` where its
percent-encoding is broken.

## Compression

Bodies of markets, tickers and this description are ready as gzip, br and zstd. Let your HTTP library negotiate: it sends the
\`Accept-Encoding\` that it can read.

## What can change within version 1

Fields, error codes and status values can be added. Ignore fields you do not know, and treat unknown values as unrecognized
without failing.`;
}

const transportCodes = sharedErrors.Transport.map((code) => `${errorTable[code].status} \`${code}\``).join(', ');

function limitRows(limits: LimitFigures): string {
  const rows = Object.entries(limitTable).map(
    ([category, { name, counting }]) => `| ${name} | ${limits[category as LimitCategory]} | ${counting} |`,
  );
  return rows.join('\n');
}
