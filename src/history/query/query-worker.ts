import { parentPort, workerData } from 'node:worker_threads';
import type { EpochMs } from '../../ground/clock.ts';
import { openSegments } from '../segment/open-segments.ts';
import type { RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import type { FromQueryWorker, Question } from './question-thread.ts';
import { RecordQuestions } from './questions.ts';

// The thread that looks things up in the record: a day of a market is many segments to decode.
const location = workerData as RecordLocation;
/** When the question was asked that is answered now. */
let askedAt = 0 as EpochMs;
let opened: Promise<{ store: SegmentStore; questions: RecordQuestions }> | undefined;

/** A store that cannot be opened is tried again with the next question. */
function open() {
  opened ??= openSegments(location).then((store) => {
    return { store, questions: new RecordQuestions(store, { now: () => askedAt }) };
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
  askedAt = question.at;
  const reply: FromQueryWorker = await answerTo(question).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  );
  parentPort!.postMessage(reply);
});
