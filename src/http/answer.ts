import type { Page } from '../board/page.ts';
import type { ErrorCode } from '../contract/errors.ts';

/** What a resource has to say. The pipeline adds identifiers, limits and codings, and writes it. */
export type Answer = PageAnswer | TextAnswer | ProblemAnswer;

/** A body that is kept ready in several codings and can be asked for conditionally. */
export interface PageAnswer {
  readonly kind: 'page';
  readonly page: Page;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly vary: string;
  readonly extraHeaders: readonly string[];
}

/** A body made for this one answer, never stored by anybody. */
export interface TextAnswer {
  readonly kind: 'text';
  readonly text: string;
  readonly contentType: string;
  readonly extraHeaders: readonly string[];
}

export interface ProblemAnswer {
  readonly kind: 'problem';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds: number | undefined;
}

export function problem(code: ErrorCode, detail: string, retryAfterSeconds?: number): ProblemAnswer {
  return { kind: 'problem', code, detail, retryAfterSeconds };
}

const none: readonly string[] = [];

/** Market data: anyone may keep it, nobody may use it without asking whether it still holds. */
export function dataPage(page: Page): PageAnswer {
  return {
    kind: 'page',
    page,
    contentType: 'application/json',
    cacheControl: 'private, no-cache',
    vary: 'Accept-Encoding',
    extraHeaders: none,
  };
}

/** JSON that is true for one instant only. */
export function instantJson(body: object): TextAnswer {
  return { kind: 'text', text: JSON.stringify(body), contentType: 'application/json', extraHeaders: none };
}
