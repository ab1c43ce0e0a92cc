import {
  type ErrorCode,
  errorCodes,
  errorTable,
  errorType,
  isInContract,
  isRetryable,
  problemBody,
  slugOf,
} from '../contract/errors.ts';
import * as contract from '../contract/limits.ts';
import { exampleNow, exampleRequestId, exampleReset } from '../contract/openapi-responses.ts';
import { html } from '../ground/html.ts';
import * as block from './blocks.ts';
import { translate } from './language.ts';
import type { Entry, PortalPage } from './layout.ts';
import type { Site } from './site.ts';

/** Path of an error's page on this listener, whatever its `type` says. */
export function errorRoute(errorCode: ErrorCode): string {
  return `/errors/${slugOf(errorCode)}`;
}

/** The link to an error's page, showing the code, as Markdown. */
export function errorLink(errorCode: ErrorCode): string {
  return `[${block.code(errorCode)}](${errorRoute(errorCode)})`;
}

/** All errors, those of the contract first. */
export function errorIndex(site: Site): PortalPage {
  const expected = 'Errors a client should expect';
  const rare = 'Rare errors';
  return {
    route: '/errors',
    title: 'Errors',
    description: 'Every error of the API: what causes it, what to do, and whether to retry.',
    body: [
      block.heading(1, 'Errors'),
      block.paragraph(
        'lead',
        'Every error is a problem document (RFC 9457) with the media type `application/problem+json`. Branch on its `code`. Its `type` is the address of the page that explains the error.',
      ),
      'The [reference](/docs/common#problem) describes the six members. When you contact the operator about an error, quote its `requestId`.',
      block.heading(2, expected, 'common'),
      errorRows(site, expected, codesIn(true)),
      block.heading(2, rare, 'rare'),
      'These report a problem with the HTTP around a request, or inside the server. A well-behaved client rarely sees one.',
      errorRows(site, rare, codesIn(false)),
    ],
  };
}

function codesIn(contract: boolean): readonly ErrorCode[] {
  return errorCodes.filter((each) => isInContract(each) === contract);
}

/** A row for each error: its status, whether a retry helps, what leads to it. */
export function errorRows(site: Site, label: string, errors: readonly ErrorCode[]): block.Block {
  const rows = errors.map((each): block.Cell[] => {
    const { status, cause } = errorTable[each];
    const note = `${block.statusText(status)}, ${translate(site, isRetryable(each) ? 'can be retried' : 'do not retry')}`;
    return [{ text: errorLink(each), note }, cause];
  });
  return block.table({ label, columns: ['Error', 'Cause'], rows, kind: 'codes' });
}

/** The page that an error's `type` leads to. */
export function errorPage(site: Site, errorCode: ErrorCode): PortalPage {
  const { errorsUrl } = site;
  const { status, title, cause, action, retry } = errorTable[errorCode];
  return {
    route: errorRoute(errorCode),
    parent: '/errors',
    navigation: { title: 'Errors', entries },
    title: `${translate(site, title)} (${errorCode})`,
    description: `${block.statusText(status)}, ${errorCode}: ${translate(site, cause)}`,
    body: [
      block.heading(1, title),
      badges(site, errorCode),
      block.facts({
        Code: block.code(errorCode),
        'HTTP status': block.statusText(status),
        Type: block.code(errorType(errorsUrl, errorCode)),
      }),
      block.heading(2, 'What causes it', 'cause'),
      cause,
      block.heading(2, 'What to do', 'action'),
      action,
      block.heading(2, 'Whether to retry', 'retry'),
      retry,
      errorCode in retryAfterSeconds ? retryAfterNote(errorCode) : '',
      block.heading(2, 'Example response', 'example'),
      block.codeBlock('Example response', exampleResponse(site, errorCode), 'http'),
      block.paragraph(
        'quiet',
        'See also: [reading errors](/guides/errors), [polling well](/guides/polling), [all errors](/errors).',
      ),
    ],
  };
}

const entries: readonly Entry[] = errorCodes.map((each) => ({
  route: errorRoute(each),
  title: errorTable[each].title,
}));

/** Maintenance alone can be over before the time it states: a window that ends early shows in the status. */
function retryAfterNote(errorCode: ErrorCode): string {
  return errorCode === 'SERVICE_MAINTENANCE'
    ? '`Retry-After` is always present, in whole seconds. Until then ask only `GET /v1/status`: a window can end early.'
    : '`Retry-After` is always present, in whole seconds. Repeat the request no sooner.';
}

/** Status and whether to retry, at a glance. */
function badges(site: Site, errorCode: ErrorCode): block.Block {
  const { status } = errorTable[errorCode];
  const retryable = isRetryable(errorCode);
  const advice = translate(site, retryable ? 'Can be retried' : 'Do not retry');
  return {
    html: () =>
      html`<p class="badges"><span class="badge">${block.statusText(status)}</span> <span class="badge ${retryable ? 'good' : 'bad'}">${advice}</span></p>\n`,
    markdown: () => `${block.statusText(status)}. ${advice}.`,
  };
}

/**
 * `Retry-After` of the errors that carry it. The examples play at one instant, with half an hour of maintenance to go.
 */
const retryAfterSeconds: Readonly<Partial<Record<ErrorCode, number>>> = {
  RATE_LIMIT_EXCEEDED: Math.ceil(exampleReset - exampleNow / 1_000),
  MARKET_DATA_UNAVAILABLE: contract.marketDataRetryAfterSeconds,
  SERVICE_MAINTENANCE: 1_800,
  SERVICE_OVERLOADED: contract.overloadRetryAfterSeconds,
};

/** Status line, the headers that matter here, and the body, indented for reading. */
function exampleResponse(site: Site, errorCode: ErrorCode): string {
  const head = [
    `HTTP/1.1 ${block.statusText(errorTable[errorCode].status)}`,
    'Content-Type: application/problem+json',
    ...exampleHeaders(site, errorCode),
  ];
  return `${head.join('\n')}\n\n${block.shownJson(exampleProblem(site, errorCode))}`;
}

/** The body of an error as a client may get it. */
export function exampleProblem({ errorsUrl }: Site, errorCode: ErrorCode): unknown {
  const { exampleDetail: detail } = errorTable[errorCode];
  return JSON.parse(problemBody({ code: errorCode, detail, requestId: exampleRequestId, errorsUrl }));
}

function exampleHeaders(site: Site, errorCode: ErrorCode): string[] {
  const { status } = errorTable[errorCode];
  const seconds = retryAfterSeconds[errorCode];
  return [
    `${contract.headerNames.requestId}: ${exampleRequestId}`,
    'Cache-Control: no-store',
    ...(status === 401 ? [`WWW-Authenticate: ${contract.wwwAuthenticate}`] : []),
    ...(status === 405 ? [`Allow: ${contract.allowedMethods}`] : []),
    ...(seconds === undefined ? [] : [`${contract.headerNames.retryAfter}: ${seconds}`]),
    ...(isInContract(errorCode) ? rateLimitHeaders(site, errorCode) : []),
  ];
}

function rateLimitHeaders({ limits }: Site, errorCode: ErrorCode): string[] {
  const failedAuthentication = errorTable[errorCode].status === 401;
  const limit = limits[failedAuthentication ? 'failedAuthentication' : 'key'];
  const remaining = errorCode === 'RATE_LIMIT_EXCEEDED' ? 0 : limit - 1;
  return [
    `${contract.headerNames.rateLimitLimit}: ${limit}`,
    `${contract.headerNames.rateLimitRemaining}: ${remaining}`,
    `${contract.headerNames.rateLimitReset}: ${exampleReset}`,
  ];
}
