import { type ErrorCode, errorCodes, errorTable, errorType, problemBody, slugOf } from '../contract/errors.ts';
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
import { html } from '../html.ts';
import { type Block, code, codeBlock, facts, heading, paragraph, shownJson, statusText, table } from './blocks.ts';
import type { PortalPage } from './layout.ts';
import type { Site } from './site.ts';

/** Path of an error's page on this listener, whatever its `type` says. */
export function errorRoute(errorCode: ErrorCode): string {
  return `/errors/${slugOf(errorCode)}`;
}

/** The link to an error's page, showing the code, as Markdown. */
export function errorLink(errorCode: ErrorCode): string {
  return `[${code(errorCode)}](${errorRoute(errorCode)})`;
}

/** All errors, those of the contract first. */
export function errorIndex(): PortalPage {
  return {
    route: '/errors',
    title: 'Errors',
    description: 'Every error of the API: what causes it, what to do, and whether to retry.',
    body: [
      heading(1, 'Errors'),
      paragraph(
        'lead',
        'Every error is a problem document (RFC 9457) with the media type `application/problem+json`. Branch on its `code`. Its `type` is the address of the page that explains the error.',
      ),
      'The [reference](/docs#schema-Problem) describes the six members. When you contact the operator about an error, quote its `requestId`.',
      heading(2, 'Errors a client should expect', 'common'),
      indexTable('Errors a client should expect', true),
      heading(2, 'Rare errors', 'rare'),
      'These report a problem with the HTTP around a request, or inside the server. A well-behaved client rarely sees one.',
      indexTable('Rare errors', false),
    ],
  };
}

function indexTable(label: string, inContract: boolean): Block {
  const codes = errorCodes.filter((each) => errorTable[each].inContract === inContract);
  const rows = codes.map((each) => {
    const { status, cause, retryable } = errorTable[each];
    return [{ text: errorLink(each), note: `${status}, ${retryable ? 'can be retried' : 'do not retry'}` }, cause];
  });
  return table({ label, columns: ['Error', 'Cause'], rows, kind: 'codes' });
}

/** The page that an error's `type` leads to. */
export function errorPage({ errorsUrl }: Site, errorCode: ErrorCode): PortalPage {
  const { status, title, cause, action, retry } = errorTable[errorCode];
  return {
    route: errorRoute(errorCode),
    parent: '/errors',
    navigation: { title: 'Errors', entries, isOfSiblings: true },
    title: `${title} (${errorCode})`,
    description: `${statusText(status)}, ${errorCode}: ${cause}`,
    body: [
      heading(1, title),
      badges(errorCode),
      facts([
        ['Code', code(errorCode)],
        ['HTTP status', statusText(status)],
        ['Type', code(errorType(errorsUrl, errorCode))],
      ]),
      heading(2, 'What causes it', 'cause'),
      cause,
      heading(2, 'What to do', 'action'),
      action,
      heading(2, 'Whether to retry', 'retry'),
      retry,
      waitingRule(errorCode),
      heading(2, 'Example response', 'example'),
      codeBlock('Example response', exampleResponse(errorsUrl, errorCode), 'http'),
      paragraph(
        'quiet',
        'See also: [reading errors](/guides/errors), [polling well](/guides/polling), [all errors](/errors).',
      ),
    ],
  };
}

const entries = errorCodes.map((each) => ({ target: errorRoute(each), title: errorTable[each].title }));

/** Status and whether to retry, at a glance. */
function badges(errorCode: ErrorCode): Block {
  const { status, retryable } = errorTable[errorCode];
  const [advice, kind] = retryable ? ['Can be retried', 'good'] : ['Do not retry', 'bad'];
  return {
    html: () =>
      html`<p class="badges"><span class="badge">${statusText(status)}</span> <span class="badge ${kind}">${advice}</span></p>\n`,
    markdown: `${statusText(status)}. ${advice}.`,
  };
}

/** How `Retry-After` is computed, and its value in the example. */
interface RetryAfter {
  readonly rule: string;
  readonly exampleSeconds: number;
}

const { min: shortestSeconds, max: longestSeconds } = maintenanceRetryAfterSeconds;
const windowEndSeconds = Math.ceil(exampleNow / 60_000) * 60;

/** The errors that carry `Retry-After`. The examples play at one instant, with half an hour of maintenance to go. */
const retryAfter: Readonly<Partial<Record<ErrorCode, RetryAfter>>> = {
  RATE_LIMIT_EXCEEDED: {
    rule: 'It is the time to the end of the current minute, rounded up: a client that waits that long is in a new window and is not refused by this one again.',
    exampleSeconds: Math.ceil(windowEndSeconds - exampleNow / 1_000),
  },
  MARKET_DATA_UNAVAILABLE: {
    rule: `It is ${marketDataRetryAfterSeconds} seconds: asking more often does not help.`,
    exampleSeconds: marketDataRetryAfterSeconds,
  },
  SERVICE_MAINTENANCE: {
    rule: `It is the time to the expected end of the window, from ${shortestSeconds} to ${longestSeconds} seconds. The window can be extended, so the next answer may say the same again.`,
    exampleSeconds: 1_800,
  },
  SERVICE_OVERLOADED: {
    rule: `It is ${overloadRetryAfterSeconds} seconds. Keep the connection open: clients that are being served go first.`,
    exampleSeconds: overloadRetryAfterSeconds,
  },
};

/** What `Retry-After` says with this error, and how a client waits without it. */
function waitingRule(errorCode: ErrorCode): string {
  const rule = retryAfter[errorCode]?.rule;
  if (rule !== undefined)
    return `\`Retry-After\` is always present, in whole seconds. ${rule} Wait at least that long.`;
  if (!errorTable[errorCode].retryable) return '';
  return 'This answer has no `Retry-After`. Wait five seconds, then ten, then twenty, up to a minute, each with some randomness.';
}

/** Status line, the headers that matter here, and the body, indented for reading. */
function exampleResponse(errorsUrl: string, errorCode: ErrorCode): string {
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
  const { status, inContract } = errorTable[errorCode];
  const seconds = retryAfter[errorCode]?.exampleSeconds;
  return [
    `${headerNames.requestId}: ${exampleRequestId}`,
    'Cache-Control: no-store',
    ...(status === 401 ? [`WWW-Authenticate: ${wwwAuthenticate}`] : []),
    ...(status === 405 ? [`Allow: ${allowedMethods}`] : []),
    ...(seconds === undefined ? [] : [`${headerNames.retryAfter}: ${seconds}`]),
    ...(inContract ? rateLimitHeaders(errorCode) : []),
  ];
}

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
