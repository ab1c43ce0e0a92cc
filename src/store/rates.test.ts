import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import { openEngine, storeTest } from './store.testing.ts';

storeTest(
  'a rate is held since when it first was, released, and accepted as it was seen, and each is in the audit log once',
  async (t) => {
    const { store, clock } = await openEngine(t);
    const now = clock.now();
    const later = asEpochMs(now + 1_000);
    const operator = store.as('token:alice');
    assert.deepEqual(await store.rates.list(), []);
    assert.equal(await operator.rates.setHeld('CZK', now), true);
    assert.equal(await operator.rates.setHeld('CZK', later), false);
    const held = { quote: 'CZK', heldAt: now, acceptedAt: undefined, acceptedMid: undefined };
    assert.deepEqual(await store.rates.list(), [held]);
    await operator.rates.accept('CZK', '24.315', later);
    await operator.rates.accept('PLN', '4.25', later);
    assert.equal(await operator.rates.setHeld('CZK', undefined), true);
    assert.equal(await operator.rates.setHeld('CZK', undefined), false);
    assert.equal(await operator.rates.setHeld('USD', undefined), false);
    const accepted = { heldAt: undefined, acceptedAt: later };
    assert.deepEqual(await store.rates.list(), [
      { quote: 'CZK', ...accepted, acceptedMid: '24.315' },
      { quote: 'PLN', ...accepted, acceptedMid: '4.25' },
    ]);
    const { items } = await store.audit.page({ limit: 10 });
    assert.deepEqual(
      items.map(({ actor, action, subject, summary }) => [actor, action, subject.id, summary]).toReversed(),
      [
        ['token:alice', 'rate.hold', 'CZK', 'Held the rate of CZK.'],
        ['token:alice', 'rate.accept', 'CZK', 'Accepted the rate of CZK: 24.315.'],
        ['token:alice', 'rate.accept', 'PLN', 'Accepted the rate of PLN: 4.25.'],
        ['token:alice', 'rate.release', 'CZK', 'Released the rate of CZK.'],
      ],
    );
  },
);

storeTest(
  'a change of what operators decided of rates is told to those who follow the controls of markets',
  async (t) => {
    const { store, clock } = await openEngine(t);
    const told: boolean[] = [];
    const watch = store.watchChanges({
      changed: ({ marketControls }) => void told.push(marketControls),
      failed: (error) => assert.fail(String(error)),
    });
    await watch.look();
    await store.rates.accept('CZK', '24.3', clock.now());
    await watch.look();
    await store.rates.setHeld('CZK', clock.now());
    await watch.look();
    await watch.stop();
    assert.deepEqual(told.slice(0, 3), [true, true, true]);
  },
);
