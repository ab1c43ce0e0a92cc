import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecordBusy } from '../history/query/question-thread.ts';
import { problemOf, problemTable } from './problems.ts';

it('a question that the record has no room for is refused with 503, and with when to ask again', () => {
  const problem = problemOf(new RecordBusy('16 questions wait.'));
  assert.deepEqual(
    [problemTable[problem!.code].status, problem?.message, problem?.headers],
    [503, '16 questions wait.', { 'Retry-After': '5' }],
  );
});
