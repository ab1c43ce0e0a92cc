import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../fixture/ask.ts';
import type { StillService } from '../fixture/still-service.ts';
import type { Scope } from '../scope.ts';

/** An answer of the service, for others to give the same. */
export interface RecordedAnswer {
  /** With its query. */
  readonly path: string;
  readonly gzip: boolean;
  readonly status: number;
  /** Names and values in turn, without those that Node writes by itself. */
  readonly headers: readonly string[];
  readonly bodyBase64: string;
}

/** What the other servers are given: the answers, and the keys they know. */
export interface Recording {
  readonly answers: readonly RecordedAnswer[];
  readonly keys: readonly string[];
}

/** So many different tickers are asked for in turn. */
const symbolsAsked = 64;
const writtenByNode = new Set(['date', 'connection', 'keep-alive']);

/** The paths of single tickers in a recording. */
export function tickerPathsOf(answers: readonly RecordedAnswer[]): string[] {
  return [...new Set(answers.map(({ path }) => path))].filter((path) => path !== '/v1/tickers');
}

export function tickerPaths({ symbols }: StillService): string[] {
  const step = Math.max(1, Math.floor(symbols.length / symbolsAsked));
  const chosen = symbols.filter((_, index) => index % step === 0).slice(0, symbolsAsked);
  return chosen.map((symbol) => `/v1/ticker?symbol=${symbol}`);
}

/** Asks the service for every answer that is measured, in both codings. Throws unless each is a 200 in that coding. */
export async function record(still: StillService): Promise<Recording> {
  const { service, installation } = still;
  const answers: RecordedAnswer[] = [];
  for (const gzip of [false, true]) {
    for (const path of ['/v1/tickers', ...tickerPaths(still)]) {
      const { status, rawHeaders, body } = await ask(service.baseUrl + path, installation.keys[0]!, gzip);
      const coded = rawHeaders.includes('Content-Encoding');
      if (status !== 200 || coded !== gzip) throw new Error(`${path}: status ${status}, compressed: ${coded}`);
      answers.push({ path, gzip, status, headers: ownHeaders(rawHeaders), bodyBase64: body.toString('base64') });
    }
  }
  return { answers, keys: installation.keys };
}

function ownHeaders(rawHeaders: readonly string[]): string[] {
  const own: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!writtenByNode.has(rawHeaders[at]!.toLowerCase())) own.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return own;
}

/** Puts the recording where the other servers read it. */
export function saveRecording(scope: Scope, recording: Recording): string {
  const file = join(scope.directory, 'recording.json');
  writeFileSync(file, JSON.stringify(recording));
  return file;
}
