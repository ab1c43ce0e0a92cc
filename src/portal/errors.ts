import { type ErrorCode, errorCodes, errorTable, errorType, problemBody } from '../contract/errors.ts';
import {
  allowedMethods,
  headerNames,
  limitTable,
  maintenanceRetryAfterSeconds,
  marketDataRetryAfterSeconds,
  overloadRetryAfterSeconds,
  wwwAuthenticate,
} from '../contract/limits.ts';
import { exampleNow, exampleRequestId } from '../contract/openapi-headers.ts';
import { type Html, html, joined } from '../html.ts';
import { code, codeBlock, shownJson, statusText, table } from './blocks.ts';
import { siblingList } from './contents.ts';
import { layout } from './layout.ts';
import { link, type Site } from './site.ts';

/** Path of an error's page on this listener, whatever its `type` says. */
export function errorRoute(errorCode: ErrorCode): string {
  return `/errors/${errorTable[errorCode].slug}`;
}

/** The link to an error's page, showing the code, which may be broken after an underscore. */
export function errorLink(site: Site, errorCode: ErrorCode): Html {
  const shown = joined(errorCode.split(/(?<=_)/), html`<wbr>`);
  return html`<a href="${link(site, errorRoute(errorCode))}"><code>${shown}</code></a>`;
}

/** All errors, those of the contract first. */
export function errorIndex(site: Site): string {
  const common = errorCodes.filter((each) => errorTable[each].inContract);
  const rare = errorCodes.filter((each) => !errorTable[each].inContract);
  return layout(site, {
    route: '/errors',
    title: 'Errors',
    description: 'Every error of the API: what causes it, what to do, and whether to retry.',
    main: html`<h1>Errors</h1>
<p class="lead">Every error is a problem document (RFC 9457) of the media type <code>application/problem+json</code>.
Decide on its <code>code</code>. Its <code>type</code> is the address of the page that explains it.</p>
<p>The six members are described in the <a href="${link(site, '/docs#schema-Error')}">reference</a>. When you ask the
operator about an error, name its <code>requestId</code>.</p>
<h2 id="common">Errors a client should expect</h2>
${indexTable(site, 'Errors a client should expect', common)}
<h2 id="rare">Rare errors</h2>
<p>These say what went wrong with the HTTP around a request, or inside the server. A client in good order rarely sees one.</p>
${indexTable(site, 'Rare errors', rare)}`,
  });
}

function indexTable(site: Site, label: string, codes: readonly ErrorCode[]): Html {
  const rows = codes.map((each) => {
    const { status, cause, retryable } = errorTable[each];
    const facts = `${status}, ${retryable ? 'can be retried' : 'do not retry'}`;
    return [html`${errorLink(site, each)}<p class="quiet small">${facts}</p>`, cause];
  });
  return table({ label, columns: ['Error', 'Cause'], rows, kind: 'codes' });
}

/** The page that an error's `type` leads to. */
export function errorPage(site: Site, errorCode: ErrorCode): string {
  const { status, title, cause, action, retry, retryable } = errorTable[errorCode];
  return layout(site, {
    route: errorRoute(errorCode),
    contents: siblingList(site, { label: 'Errors', siblings, route: errorRoute(errorCode) }),
    title: `${title} (${errorCode})`,
    description: `${statusText(status)}, ${errorCode}: ${cause}`,
    main: html`<p class="crumb" data-web="crumb"><a href="${link(site, '/errors')}">Errors</a></p>
<h1>${title}</h1>
<p class="badges"><span class="badge">${statusText(status)}</span> <span class="badge ${retryable ? 'good' : 'bad'}">${retryable ? 'Can be retried' : 'Do not retry'}</span></p>
<dl class="facts">
<dt>Code</dt><dd>${code(errorCode)}</dd>
<dt>HTTP status</dt><dd>${statusText(status)}</dd>
<dt>Type</dt><dd>${code(errorType(site.errorsUrl, errorCode))}</dd>
</dl>
<h2 id="cause">What causes it</h2>
<p>${cause}</p>
<h2 id="action">What to do</h2>
<p>${action}</p>
<h2 id="retry">Whether to retry</h2>
<p>${retry}</p>
${retryAfterRule(errorCode)}<h2 id="example">Example response</h2>
${codeBlock('Example response', exampleResponse(site, errorCode), 'http')}
<p class="quiet">See also: <a href="${link(site, '/guides/errors')}">reading errors</a>, <a href="${link(site, '/guides/polling')}">polling well</a>,
<a href="${link(site, '/errors')}">all errors</a>.</p>`,
  });
}

const siblings = errorCodes.map((each) => ({ route: errorRoute(each), title: errorTable[each].title }));

/** What `Retry-After` says with this error, and how a client waits without it. */
function retryAfterRule(errorCode: ErrorCode): Html | undefined {
  const rule = retryAfterRules[errorCode];
  if (rule !== undefined) {
    return html`<p><code>${headerNames.retryAfter}</code> is always there, in whole seconds. ${rule} Wait at least that long.</p>\n`;
  }
  if (!errorTable[errorCode].retryable) return undefined;
  return html`<p>This answer has no <code>${headerNames.retryAfter}</code>. Wait five seconds, then ten, then twenty, up to a minute, each
with some randomness.</p>\n`;
}

const { min: shortestSeconds, max: longestSeconds } = maintenanceRetryAfterSeconds;

const retryAfterRules: Readonly<Partial<Record<ErrorCode, string>>> = {
  RATE_LIMIT_EXCEEDED:
    'It is the time to the end of the current minute, rounded up: whoever waits that long is in a new window and is not refused by this one again.',
  MARKET_DATA_UNAVAILABLE: `It is ${marketDataRetryAfterSeconds} seconds: asking more often brings nothing sooner.`,
  SERVICE_MAINTENANCE: `It is the time to the expected end of the window, from ${shortestSeconds} to ${longestSeconds} seconds. The window can be extended, so the next answer may say the same again.`,
  SERVICE_OVERLOADED: `It is ${overloadRetryAfterSeconds} seconds. Keep the connection open: clients that are being served go first.`,
};

/** Status line, the headers that matter here, and the body, indented for reading. */
function exampleResponse({ errorsUrl }: Site, errorCode: ErrorCode): string {
  const { status, exampleDetail: detail } = errorTable[errorCode];
  const head = [
    `HTTP/1.1 ${statusText(status)}`,
    'Content-Type: application/problem+json',
    ...exampleHeaders(errorCode),
  ];
  const body = problemBody({ code: errorCode, detail, requestId: exampleRequestId, errorsUrl });
  return `${head.join('\n')}\n\n${shownJson(JSON.parse(body))}`;
}

function exampleHeaders(errorCode: ErrorCode): string[] {
  const { status, alwaysCounted } = errorTable[errorCode];
  const retryAfter = retryAfterSeconds(errorCode);
  return [
    `${headerNames.requestId}: ${exampleRequestId}`,
    'Cache-Control: no-store',
    ...(status === 401 ? [`WWW-Authenticate: ${wwwAuthenticate}`] : []),
    ...(status === 405 ? [`Allow: ${allowedMethods}`] : []),
    ...(retryAfter === undefined ? [] : [`${headerNames.retryAfter}: ${retryAfter}`]),
    ...(alwaysCounted ? rateLimitHeaders(errorCode) : []),
  ];
}

const windowEndSeconds = Math.ceil(exampleNow / 60_000) * 60;

function rateLimitHeaders(errorCode: ErrorCode): string[] {
  const failedAuthentication = errorTable[errorCode].status === 401;
  const limit = limitTable[failedAuthentication ? 'failedAuthentication' : 'key'].requestsPerMinute;
  const remaining = errorCode === 'RATE_LIMIT_EXCEEDED' ? 0 : limit - 1;
  return [
    `${headerNames.rateLimitLimit}: ${limit}`,
    `${headerNames.rateLimitRemaining}: ${remaining}`,
    `${headerNames.rateLimitReset}: ${windowEndSeconds}`,
  ];
}

/** As at the instant that all examples play at; the maintenance of the example lasts another half an hour. */
function retryAfterSeconds(errorCode: ErrorCode): number | undefined {
  switch (errorCode) {
    case 'RATE_LIMIT_EXCEEDED':
      return Math.ceil(windowEndSeconds - exampleNow / 1_000);
    case 'MARKET_DATA_UNAVAILABLE':
      return marketDataRetryAfterSeconds;
    case 'SERVICE_MAINTENANCE':
      return 1_800;
    case 'SERVICE_OVERLOADED':
      return overloadRetryAfterSeconds;
    default:
      return undefined;
  }
}
