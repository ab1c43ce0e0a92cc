import type { Page } from '../board/page.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { headerNames } from '../contract/limits.ts';
import { feedStatuses } from '../contract/schemas.ts';

/** The answer of a resource. The pipeline adds identifiers, limits and codings, and writes it. */
export type Answer = PageAnswer | TextAnswer | RedirectAnswer | ProblemAnswer;

/** A body that is kept ready in several codings and can be asked for conditionally. */
export interface PageAnswer {
  readonly kind: 'page';
  readonly page: Page;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly vary: string;
  readonly extraHeaders: readonly string[];
  /** Sent as it is, in no coding: an archive, whose bytes are compared with a digest. */
  readonly isCompressed?: true;
  /** The symbol of the one market that it is about. */
  readonly symbol?: string | undefined;
}

/** A body made for this one answer, which no cache may store. */
export interface TextAnswer {
  readonly kind: 'text';
  /** 200 when left out. */
  readonly status?: 400 | 404 | undefined;
  readonly text: string;
  readonly contentType: string;
  readonly extraHeaders: readonly string[];
}

/** The resource is at another address for good (RFC 9110 section 15.4.9). */
export interface RedirectAnswer {
  readonly kind: 'redirect';
  readonly location: string;
}

export interface ProblemAnswer {
  readonly kind: 'problem';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds: number | undefined;
  readonly extraHeaders: readonly string[];
}

const none: readonly string[] = [];

export function problem(
  code: ErrorCode,
  detail: string,
  retryAfterSeconds?: number,
  extraHeaders: readonly string[] = none,
): ProblemAnswer {
  return { kind: 'problem', code, detail, retryAfterSeconds, extraHeaders };
}

/** For every method but GET and HEAD. */
export const methodNotAllowed = problem('METHOD_NOT_ALLOWED', 'This resource answers GET and HEAD only.');

type FeedStatus = (typeof feedStatuses)[number];

/** The header with the state of the feed, ready for each state. */
export const feedHeaders = Object.fromEntries(
  feedStatuses.map((status) => [status, [headerNames.feedStatus, status]]),
) as unknown as Readonly<Record<FeedStatus, readonly string[]>>;

/** Market data: may be stored, and must be revalidated before each use. */
export function dataPage(page: Page, extraHeaders: readonly string[] = none, symbol?: string): PageAnswer {
  return {
    kind: 'page',
    page,
    contentType: 'application/json',
    cacheControl: 'private, no-cache',
    vary: 'Accept-Encoding',
    extraHeaders,
    symbol,
  };
}

/** JSON that is true for one instant only. */
export function instantJson(body: object): TextAnswer {
  return { kind: 'text', text: JSON.stringify(body), contentType: 'application/json', extraHeaders: none };
}

/** JSON in ASCII, as a `Page` takes it: configured addresses can hold any character. */
export function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, escaped);
}
