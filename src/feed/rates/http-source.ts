import type { Clock } from '../../clock.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import { fetchText } from '../bounded-fetch.ts';

/** What every source over HTTP needs. */
export interface HttpSourceOptions {
  readonly clock: Clock;
  /** May carry credentials; they appear in no error and no log. */
  readonly url: string;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  /** 10,000 by default. */
  readonly timeoutMs?: number;
}

const bodyBytesMax = 1024 * 1024;

/** The text of the source's answer. Throws `UpstreamError`. */
export async function fetchSource(options: HttpSourceOptions, signal: AbortSignal, accept: string): Promise<string> {
  const { clock, url, timeoutMs } = options;
  const answer = await fetchText(url, { clock, timeoutMs: timeoutMs ?? 10_000, bodyBytesMax, signal, accept });
  return answer.text;
}
