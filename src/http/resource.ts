import type { IncomingHttpHeaders } from 'node:http';
import type { Board } from '../board/board.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import { marketDataRetryAfterSeconds } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Answer, type ProblemAnswer, problem } from './answer.ts';

/** A request as a resource sees it. The instant was read once, when the request came. */
export interface ResourceRequest {
  readonly now: EpochMs;
  /** The raw query, without its question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** The boards that resources read. Nothing here waits for anything. */
export interface ReadModel {
  readonly board: Pick<Board, 'markets' | 'ticker' | 'tickers'>;
  readonly service: Pick<
    ServiceBoard,
    'current' | 'feedStatus' | 'history' | 'maintenanceRetryAfterSeconds' | 'status' | 'windows' | 'written'
  >;
}

/** One path and what it answers. Its file holds both. */
export interface Resource {
  readonly route: string;
  readonly answersInMaintenance: boolean;
  /** Answers under overload too. */
  readonly isNeverShed?: true;
  answer(request: ResourceRequest, sources: ReadModel): Answer;
  /**
   * Answers a form; left out where only GET and HEAD are answered. Only pages take forms.
   *
   * @param client whom it is counted on
   */
  submit?(request: ResourceRequest, form: URLSearchParams, client: string): Promise<Answer>;
}

/** 503 MARKET_DATA_UNAVAILABLE, with when to ask again. */
export function unavailable(detail: string, extraHeaders?: readonly string[]): ProblemAnswer {
  return problem('MARKET_DATA_UNAVAILABLE', detail, marketDataRetryAfterSeconds, extraHeaders);
}

/** The answer before any catalogue was loaded. */
export function catalogueNotLoaded(extraHeaders?: readonly string[]): ProblemAnswer {
  return unavailable('The list of markets has not been loaded yet.', extraHeaders);
}
