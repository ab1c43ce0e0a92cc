import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../../ground/clock.ts';
import { inOrder, type RecordPosition } from '../segment/rows.ts';
import { merged } from './merged.ts';

test('streams in any batches become one in the order of their positions, with every row of each', async () => {
  const position = fc.record({ at: fc.nat(9).map((at) => at as EpochMs), sub: fc.nat(2) }, { noNullPrototype: true });
  const stream = fc.array(position).chain((rows) => fc.tuple(fc.constant(inOrder(rows)), fc.array(fc.nat(3))));
  async function* batched([rows, sizes]: readonly [readonly RecordPosition[], readonly number[]]): AsyncGenerator<
    RecordPosition[]
  > {
    let from = 0;
    for (const size of sizes) {
      yield rows.slice(from, from + size);
      from += size;
    }
    yield rows.slice(from);
  }
  await fc.assert(
    fc.asyncProperty(fc.array(stream, { maxLength: 4 }), async (streams) => {
      const found: RecordPosition[] = [];
      for await (const rows of merged(streams.map(batched))) found.push(...rows);
      assert.deepEqual(found, inOrder(streams.flatMap(([rows]) => rows)));
    }),
  );
});
