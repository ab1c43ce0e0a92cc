import { parentPort, workerData } from 'node:worker_threads';
import type { FromAskWorker, Question } from './asking.ts';
import { RecordQuestions } from './questions.ts';
import { openSqliteSegments } from './sqlite-segments.ts';

/** The thread that looks things up in the record: a day of a market is many segments to decode. */
const store = openSqliteSegments((workerData as { readonly path: string }).path);
const questions = new RecordQuestions(store);

async function answerTo({ name, args }: Question): Promise<unknown> {
  switch (name) {
    case 'verify':
      return questions.verify(() => {});
    case 'hold':
      return store.addHold(...(args as Parameters<typeof store.addHold>));
    case 'release':
      return store.releaseHold(...(args as Parameters<typeof store.releaseHold>));
    default:
      return (questions[name] as (...given: readonly unknown[]) => Promise<unknown>).apply(questions, [...args]);
  }
}

let turn = Promise.resolve();
parentPort!.on('message', (question: Question) => {
  turn = turn.then(async () => {
    const told: FromAskWorker = await answerTo(question).then(
      (answer) => ({ id: question.id, answer }),
      (error: Error) => ({ id: question.id, error: error.message }),
    );
    parentPort!.postMessage(told);
  });
});
