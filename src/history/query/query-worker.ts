import { parentPort, workerData } from 'node:worker_threads';
import type { EpochMs } from '../../clock.ts';
import { openSegments } from '../segment/open-segments.ts';
import type { SegmentStore } from '../segment/segment-store.ts';
import type { FromQueryWorker, QueryWorkerData, Question } from './question-thread.ts';
import { RecordQuestions } from './questions.ts';
import { whileAsked } from './while-asked.ts';

// The thread that looks things up in the record: a day of a market is many segments to decode.
const { location, dropped } = workerData as QueryWorkerData;
/** The question that is answered now: its id, and when it was asked. */
let asked = { id: 0, at: 0 as EpochMs };
let opened: Promise<{ store: SegmentStore; questions: RecordQuestions }> | undefined;

/** A store that cannot be opened is tried again with the next question. */
function open() {
  opened ??= openSegments(location).then((segments) => {
    const store = whileAsked(segments, () => Atomics.load(dropped, 0) !== asked.id);
    return { store, questions: new RecordQuestions(store, { now: () => asked.at }) };
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

async function answerTo({ name, args }: Question): Promise<unknown> {
  const { store, questions } = await open();
  const target = name in store ? store : questions;
  return (target as unknown as Record<string, (...given: readonly unknown[]) => unknown>)[name]!(...args);
}

// The next one comes after the answer.
parentPort!.on('message', async (question: Question) => {
  asked = question;
  const reply: FromQueryWorker = await answerTo(question).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  );
  parentPort!.postMessage(reply);
});
