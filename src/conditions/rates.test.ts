import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { Guard } from '../market/guard.ts';
import { guardRules, marketsWith } from '../market/market-rig.testing.ts';
import { CZK, conversionRate, decimal, EUR } from '../market/samples.testing.ts';
import type { ConversionRate } from '../market/upstream.ts';
import type { Finding } from './condition.ts';
import { rates } from './rates.ts';
import { wellProcess } from './well.testing.ts';

const hourMs = 3_600_000;

/** A process that is well, with a rate that tests speak for. */
function process() {
  const { clock, state, observed } = wellProcess();
  const markets = marketsWith({ guard: new Guard(guardRules) });
  const pricing = { converted: new Map([[CZK, { via: EUR, marginPercent: decimal('1') }]]) };
  const all = {
    ...observed,
    market: { ...observed.market, markets },
    configuration: { ...observed.configuration, pricing },
  };
  const rate = (mid: string, changes: Partial<ConversionRate> = {}) =>
    conversionRate({ mid: decimal(mid), fixingDate: undefined, refreshedAt: clock.now(), ...changes });
  const found = (code: keyof typeof rates) => [...(rates[code].find(all, () => false) as Iterable<Finding<object>>)];
  const values = (code: keyof typeof rates) => found(code).map((each) => each.values);
  return {
    clock,
    state,
    found,
    values,
    read: (mid: string, changes?: Partial<ConversionRate>) => markets.rates.read(rate(mid, changes)),
    compared: (mid: string) => markets.rates.compared(rate(mid, { source: 'ecb' })),
    accept: () => markets.rates.accept(CZK),
  };
}

test('a rate that is held is told at once, with what stays in force, and as urgent where nobody but an operator may end it', () => {
  const { read, accept, found } = process();
  read('24.3');
  accept();
  assert.deepEqual(found('RateDoubted'), []);
  assert.equal(rates.RateDoubted.forMs, 0);
  read('26');
  const values = { quote: 'CZK', inForce: '24.3' };
  assert.deepEqual(found('RateDoubted'), [
    { subject: 'CZK', severity: 'warning', values: { ...values, mid: '26', reason: 'bound' } },
  ]);
  read('2430');
  assert.deepEqual(found('RateDoubted'), [
    { subject: 'CZK', severity: 'critical', values: { ...values, mid: '2430', reason: 'ceiling' } },
  ]);
  const said = { quote: 'CZK', mid: '2430', inForce: null, reason: 'unconfirmed' } as const;
  assert.match(rates.RateDoubted.sentence(said), /^the CZK rate 2430 is held, and no rate is in force: nothing ever/);
});

test('a first rate that nothing has confirmed is noted until something does, and is none once it is contradicted', () => {
  const { read, accept, values } = process();
  read('24.3');
  assert.deepEqual(values('RateUnconfirmed'), [{ quote: 'CZK', mid: '24.3' }]);
  read('2430');
  assert.deepEqual(values('RateUnconfirmed'), []);
  assert.deepEqual(values('RateDoubted'), [{ quote: 'CZK', mid: '2430', inForce: null, reason: 'unconfirmed' }]);
  assert.deepEqual(values('RateGone'), [{ quote: 'CZK' }]);
  accept();
  for (const code of ['RateUnconfirmed', 'RateDoubted', 'RateGone'] as const) assert.deepEqual(values(code), []);
});

test('a second source that says another rate is told with both, and not where it is of another day', () => {
  const { read, compared, accept, values } = process();
  read('24.3');
  accept();
  compared('24.9');
  assert.deepEqual(values('RateSourcesDiffer'), []);
  compared('25.4');
  assert.deepEqual(values('RateSourcesDiffer'), [
    { quote: 'CZK', mid: '24.3', second: 'ecb', secondMid: '25.4', percent: '-4.33' },
  ]);
});

test('a second source that could not be read for twelve hours is told', () => {
  const { clock, state, values } = process();
  const failing = (agoMs: number) => {
    const failingSince = (clock.now() - agoMs) as EpochMs;
    const lastFault = { code: 'failed', values: { kind: 'network', detail: 'ECONNREFUSED' } } as const;
    const second = { source: 'ecb', lastOutcome: 'network: ECONNREFUSED', lastFault, failingSince };
    state.rates = [
      { quote: CZK, source: 'cnb', lastOutcome: 'ok', lastFault: undefined, failingSince: undefined, second },
    ];
    return values('RateSecondLost');
  };
  assert.deepEqual(failing(12 * hourMs - 1), []);
  assert.deepEqual(failing(13 * hourMs), [{ quote: 'CZK', second: 'ecb', hours: 13 }]);
});
