import assert from 'node:assert/strict';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { generateToken, tokenDigest } from '../access/operator-token.ts';
import { openEngine, storeTest } from '../store/store.testing.ts';
import { makeTicket, useTicket } from './ticket.ts';

storeTest('a ticket shows once who made it, to one of several processes', async (t) => {
  const { store, clock, openAnother } = await openEngine(t);
  const digest = tokenDigest(await makeTicket(store, 'cli:olga', seededRandomness(1)));
  const another = await openAnother();
  const uses = await Promise.all([useTicket(store, digest, clock.now()), useTicket(another, digest, clock.now())]);
  assert.deepEqual(uses.filter(Boolean), ['cli:olga']);
  assert.equal(await useTicket(store, digest, clock.now()), undefined);
});

storeTest('a ticket is valid for half a minute, whichever clock is ahead', async (t) => {
  const { store, clock } = await openEngine(t);
  for (const [laterMs, expected] of [
    [30_001, undefined],
    [-30_001, undefined],
    [30_000, 'cli:olga'],
    [-30_000, 'cli:olga'],
  ] as const) {
    const digest = tokenDigest(await makeTicket(store, 'cli:olga', seededRandomness(1)));
    assert.equal(await useTicket(store, digest, (clock.now() + laterMs) as ReturnType<typeof clock.now>), expected);
  }
});

storeTest('another text is nobody’s and leaves the ticket as it is', async (t) => {
  const { store, clock } = await openEngine(t);
  const other = tokenDigest(generateToken('operator', seededRandomness(2)));
  assert.equal(await useTicket(store, other, clock.now()), undefined);
  const digest = tokenDigest(await makeTicket(store, 'cli:olga', seededRandomness(1)));
  assert.equal(await useTicket(store, other, clock.now()), undefined);
  assert.equal(await useTicket(store, digest, clock.now()), 'cli:olga');
});

storeTest('what the store holds of a ticket is of no use to whoever reads it', async (t) => {
  const { store, outside } = await openEngine(t);
  const ticket = await makeTicket(store, 'cli:olga', seededRandomness(1));
  assert.ok(!JSON.stringify(await outside.run('SELECT * FROM snapshots')).includes(ticket));
});
