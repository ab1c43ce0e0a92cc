import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { ask } from '../fixture/ask.ts';
import { sendLoad } from '../load/generator.ts';
import { assertServed } from '../load/load.ts';
import type { RecordedAnswer } from './answers.ts';
import type { Target } from './targets.ts';

/** What is asked for in one comparison. */
export interface Case {
  readonly name: string;
  readonly paths: readonly string[];
  readonly gzip: boolean;
}

/** One target under full load for some seconds. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Requests per second of the server's own processor time; `undefined` where the system does not report it. */
  readonly requestsPerProcessorSecond: number | undefined;
  /** How much of one core the server used. */
  readonly busy: number | undefined;
}

const connections = 32;
/** A process that stood still catches up, and for as long takes its standstill for overload and refuses new clients. */
const settleMs = 2_500;

/** Loads the target and measures. Throws unless every answer was a 200. */
export async function sample(target: Target, { name, paths, gzip }: Case, seconds: number): Promise<Sample> {
  target.resume();
  if (!target.still) await pause(settleMs);
  const usedBefore = target.process.processorSeconds();
  const plan = { baseUrl: gzip ? target.gzip : target.identity, paths, keys: target.keys, gzip, connections, seconds };
  const result = await sendLoad(plan);
  const usedAfter = target.process.processorSeconds();
  target.pause();
  assertServed(result, `${target.name}, ${name}`);
  const used = usedBefore === undefined || usedAfter === undefined ? undefined : usedAfter - usedBefore;
  return {
    requestsPerSecond: result.requests / result.seconds,
    requestsPerProcessorSecond: used && result.requests / used,
    busy: used && used / result.seconds,
  };
}

/**
 * Throws unless the target gives a right answer to each of the recorded requests: the very text for one whose
 * prices stand still, the same symbols for a live one.
 */
export async function assertAnswers(target: Target, answers: readonly RecordedAnswer[]): Promise<void> {
  target.resume();
  for (const { path, gzip, bodyBase64 } of answers) {
    const answer = await ask((gzip ? target.gzip : target.identity) + path, target.keys[0]!, gzip);
    if (answer.status !== 200) throw new Error(`${target.name} answers ${path} with ${answer.status}`);
    const recorded = readBody(Buffer.from(bodyBase64, 'base64'), gzip);
    const served = readBody(answer.body, gzip);
    const right = target.still ? served === recorded : sameSymbols(served, recorded);
    if (!right) throw new Error(`${target.name} answers ${path} with another body`);
  }
  target.pause();
}

function readBody(body: Buffer, gzip: boolean): string {
  return (gzip ? gunzipSync(body) : body).toString('utf8');
}

function sameSymbols(served: string, recorded: string): boolean {
  const symbols = (text: string) => [...text.matchAll(/"symbol":"(\w+)"/g)].map(([, symbol]) => symbol).join();
  return symbols(served) === symbols(recorded);
}
