import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig } from './market-rig.testing.ts';

/** A market of two sources that quote twice a second: `play` has them quote so for so many seconds. */
function quoted() {
  const rig = new MarketRig({ ids: ['one', 'two'], mode: 'primary' });
  for (const id of ['one', 'two']) rig.list(id);
  const tick = (id: string, bid: number) =>
    rig.tick(id, bid.toFixed(2), {
      low24h: (bid * 0.8).toFixed(2) as never,
      high24h: (bid * 1.2).toFixed(2) as never,
    });
  const play = (seconds: number, one: number, two: number) => {
    for (let half = 0; half < 2 * seconds; half++) {
      rig.nowMs += 500;
      // Neither stands still.
      for (const [id, bid] of [
        ['one', one],
        ['two', two],
      ] as const)
        tick(id, bid + half / 100);
      rig.review('live', 'live');
    }
  };
  const exclusion = () => rig.markets.sources.states(BTCEUR).find(({ id }) => id === 'one')?.exclusion;
  return { rig, play, exclusion };
}

test('a source that drifted to the edge of the band and comes back was followed by nobody: it waits for its minute', () => {
  const { rig, play, exclusion } = quoted();
  play(20, 84_000, 84_010);
  for (let share = 0.999; share > 0.979; share -= 0.001) play(1, 84_000 * share, 84_010);
  assert.deepEqual([rig.used, exclusion()], ['two', 'contradicted']);
  // The market has moved a little towards where it was, and it returns to the market.
  play(30, 83_700, 83_710);
  assert.deepEqual([rig.used, exclusion()], ['two', 'contradicted']);
  play(31, 83_700, 83_710);
  assert.equal(exclusion(), undefined);
});

test('a source that the other came to was right, and is believed at once', () => {
  const { play, exclusion } = quoted();
  play(20, 84_000, 84_010);
  play(2, 82_000, 84_010);
  assert.equal(exclusion(), 'contradicted');
  play(1, 82_000, 82_050);
  assert.equal(exclusion(), undefined);
});
