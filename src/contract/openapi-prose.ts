import { headerNames, limitTable, limitWindowMs, pollingIntervals } from './limits.ts';

/** `info.description`: what a client must know before the first request, in CommonMark. */
export const introduction = `
Read-only market data over HTTP: the time of the server, the status of the service, the traded markets, and the current final
prices for clients. Every operation is a GET, and answers HEAD in the same way without a body. Nothing changes state.

## First steps

Make an API key in the client application (profile and security, API keys), and send it with every request under \`/v1\`, as it
is, in the header \`${headerNames.apiKey}\`. Keep keys on your server; they do not belong in a browser.

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
${Object.values(limitTable)
  .map(({ name, requestsPerMinute, counting }) => `| ${name} | ${requestsPerMinute} | ${counting} |`)
  .join('\n')}

The counts start afresh at every full minute, and none of the three uses up another. Every answer to a counted request tells
what is left. Over a limit the answer is 429 with \`Retry-After\`: wait that many seconds.

## Errors

Every error is a problem (RFC 9457) of the media type \`application/problem+json\` with exactly six members. Decide on \`code\`,
not on the texts. \`type\` is the address of a page that explains the error and what to do. Beside the responses of the
operations below, two answers exist: 404 \`NOT_FOUND\` for a path that does not exist, and 405 \`METHOD_NOT_ALLOWED\` with an
\`Allow\` header for any other method.

## What can change within version 1

Fields, error codes and status values can be added. Ignore fields you do not know, and treat unknown values as unrecognized
without failing.
`.trim();

/** The recommended polling interval of an endpoint, as a sentence; empty where the contract gives none. */
export function pollingAdvice(path: string): string {
  const advice = pollingIntervals.find((entry) => entry.path === path);
  if (advice === undefined) return '';
  return `\n\nRecommended: ${intervalText(advice.intervalMs)}. ${advice.reason}.`;
}

function intervalText(intervalMs: number | undefined): string {
  if (intervalMs === undefined) return 'once, when your client starts';
  if (intervalMs > limitWindowMs) return 'every hour';
  return `every ${intervalMs / 1_000} seconds`;
}
