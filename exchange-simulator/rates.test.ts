import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../test/support/fake-clock.ts';
import { newestFixingDay } from './rates.ts';
import { startForTest } from './test-client.testing.ts';

describe('the rate sources', () => {
  it('date the fixing on the newest weekday after its hour of publication', () => {
    for (const [instant, cnb, ecb] of [
      ['2026-11-20T13:29:00Z', '2026-11-19', '2026-11-19'],
      ['2026-11-20T13:30:00Z', '2026-11-20', '2026-11-19'],
      ['2026-11-20T15:00:00Z', '2026-11-20', '2026-11-20'],
      ['2026-11-22T12:00:00Z', '2026-11-20', '2026-11-20'],
      ['2026-11-23T08:00:00Z', '2026-11-20', '2026-11-20'],
      ['2027-01-03T16:00:00Z', '2027-01-01', '2027-01-01'],
      ['2026-07-15T12:29:00Z', '2026-07-14', '2026-07-14'],
    ] as const) {
      assert.equal(newestFixingDay('cnb', Date.parse(instant)), cnb, instant);
      assert.equal(newestFixingDay('ecb', Date.parse(instant)), ecb, instant);
    }
  });

  it('answer as the Czech National Bank does: CZK for an amount of units, with an amount of 100 among them', async (test) => {
    const { simulator } = await startForTest(test, { clock: new FakeClock('2026-11-21T10:00:00Z') });
    const text = await (await fetch(simulator.cnbUrl)).text();
    const { rates } = JSON.parse(text);
    const euro = rates.find((rate: { currencyCode: string }) => rate.currencyCode === 'EUR');
    const head = { validFor: '2026-11-20', order: euro.order, country: 'EMU', currency: 'euro' };
    assert.deepEqual(euro, { ...head, amount: 1, currencyCode: 'EUR', rate: 24.315 });
    assert.ok(rates.some((rate: { amount: number }) => rate.amount === 100));
  });

  it('answer as the European Central Bank does, and as any JSON service might', async (test) => {
    const { simulator } = await startForTest(test);
    const xml = await (await fetch(simulator.ecbUrl)).text();
    assert.match(xml, /<Cube time='2026-11-20'>\s*<Cube currency='USD' rate='1.1603'\/>/);
    assert.ok(xml.includes("<Cube currency='CZK' rate='24.315'/>"));
    assert.equal(await (await fetch(simulator.jsonRateUrl)).text(), '{"data":{"EURCZK":"24.3150"}}');
  });

  it('all serve a rate that is set, digit for digit', async (test) => {
    const { simulator } = await startForTest(test);
    simulator.setRate('25.00010');
    const texts = await Promise.all(
      [simulator.cnbUrl, simulator.ecbUrl, simulator.jsonRateUrl].map(async (url) => (await fetch(url)).text()),
    );
    assert.ok(texts[0]?.includes('"currencyCode":"EUR","rate":25.00010}'));
    assert.ok(texts[1]?.includes("currency='CZK' rate='25.00010'"));
    assert.equal(texts[2], '{"data":{"EURCZK":"25.00010"}}');
  });

  it('can each be gone or stale', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'rate-gone', source: 'cnb', status: 404 });
    await simulator.faults.set({ fault: 'rate-stale', source: 'ecb', date: '2026-11-02' });
    assert.equal((await fetch(simulator.cnbUrl)).status, 404);
    assert.ok((await (await fetch(simulator.ecbUrl)).text()).includes("time='2026-11-02'"));
    assert.equal((await fetch(simulator.jsonRateUrl)).status, 200);
    assert.equal(await simulator.faults.clear(), 2);
    assert.equal((await fetch(simulator.cnbUrl)).status, 200);
  });
});
