import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../../ground/clock.ts';
import { inOrder, type Position } from '../segment/rows.ts';
import { merged } from './merged.ts';

test('streams in any batches become one in the order of their positions, with every row of each', async () => {
  const position = fc.record({ at: fc.nat(9).map((at) => at as EpochMs), sub: fc.nat(2) }, { noNullPrototype: true });
  const stream = fc.array(position).chain((rows) => fc.tuple(fc.constant(inOrder(rows)), fc.array(fc.nat(3))));
  async function* batched([rows, sizes]: readonly [readonly Position[], readonly number[]]): AsyncGenerator<
    Position[]
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
      const found: Position[] = [];
      for await (const rows of merged(streams.map(batched))) found.push(...rows);
      assert.deepEqual(found, inOrder(streams.flatMap(([rows]) => rows)));
    }),
  );
});
