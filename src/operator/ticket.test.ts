import assert from 'node:assert/strict';
import { openEngine, storeTest } from '../store/store.testing.ts';
import { leaveTicket, takeTicket } from './ticket.ts';

const ticket = { challenge: '5rZ0oVbVdQn1B2c3D4e5F6g7H8i9J0k1', operation: 'reloadSources' } as const;

storeTest('a ticket shows once who left it, to one of several processes', async (t) => {
  const { store, clock, openAnother } = await openEngine(t);
  await leaveTicket(store, ticket, 'cli:olga');
  const another = await openAnother();
  const uses = await Promise.all([takeTicket(store, ticket, clock.now()), takeTicket(another, ticket, clock.now())]);
  assert.deepEqual(uses.filter(Boolean), ['cli:olga']);
  assert.equal(await takeTicket(store, ticket, clock.now()), undefined);
});

storeTest('a ticket is valid for half a minute, whichever clock is ahead', async (t) => {
  const { store, clock } = await openEngine(t);
  for (const [laterMs, expected] of [
    [30_001, undefined],
    [-30_001, undefined],
    [30_000, 'cli:olga'],
    [-30_000, 'cli:olga'],
  ] as const) {
    await leaveTicket(store, ticket, 'cli:olga');
    assert.equal(await takeTicket(store, ticket, (clock.now() + laterMs) as ReturnType<typeof clock.now>), expected);
  }
});

storeTest(
  'a ticket is worth its operation and its challenge alone, and another leaves it as it is (fault row 112)',
  async (t) => {
    const { store, clock } = await openEngine(t);
    await leaveTicket(store, ticket, 'cli:olga');
    for (const other of [{ operation: 'createToken' }, { challenge: '6rZ0oVbVdQn1B2c3D4e5F6g7H8i9J0k1' }]) {
      assert.equal(await takeTicket(store, { ...ticket, ...other }, clock.now()), undefined);
    }
    assert.equal(await takeTicket(store, ticket, clock.now()), 'cli:olga');
  },
);

storeTest('what the store holds of a ticket is of no use to whoever reads it', async (t) => {
  const { store, outside } = await openEngine(t);
  await leaveTicket(store, ticket, 'cli:olga');
  assert.ok(!JSON.stringify(await outside.run('SELECT * FROM snapshots')).includes(ticket.challenge));
});
