import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultNames } from './fault-catalogue.ts';
import { BadRequest } from './fault-request.ts';
import { startExchangeSimulator } from './simulator.ts';
import { result, startForTest } from './test-client.testing.ts';

async function ask(url: string, method: string, body?: unknown): Promise<[number, Record<string, unknown>]> {
  const init =
    body === undefined ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await fetch(url, init);
  return [response.status, (await response.json()) as Record<string, unknown>];
}

describe('the control API', () => {
  it('switches faults on and off and shows which are on', async (test) => {
    const { simulator } = await startForTest(test);
    const faults = `${simulator.controlUrl}/faults`;
    await ask(faults, 'POST', { fault: 'mute', forMs: 60_000 });
    await ask(faults, 'POST', { fault: 'reject', symbol: 'BTC/EUR' });
    await ask(faults, 'POST', { fault: 'reject', symbol: 'ETH/EUR' });
    const [, { faults: active }] = await ask(faults, 'GET');
    assert.deepEqual(
      (active as { fault: string; symbols?: string[]; endsInMs?: number }[]).map((fault) => [
        fault.fault,
        fault.symbols,
        fault.endsInMs,
      ]),
      [
        ['mute', undefined, 60_000],
        ['reject', ['BTC/EUR'], undefined],
        ['reject', ['ETH/EUR'], undefined],
      ],
    );
    assert.deepEqual(await ask(`${faults}/reject?symbol=BTC%2FEUR`, 'DELETE'), [200, { cleared: 1 }]);
    assert.deepEqual(await ask(`${faults}/mute`, 'DELETE'), [200, { cleared: 1 }]);
    assert.deepEqual(await ask(faults, 'DELETE'), [200, { cleared: 1 }]);
    assert.deepEqual(await ask(faults, 'GET'), [200, { faults: [] }]);
  });

  it('sets and releases prices and rates', async (test) => {
    const { simulator } = await startForTest(test);
    const bid = async () => (await result(simulator, 'Ticker?pair=XBTEUR')).XXBTZEUR.b[0];
    const usual = await bid();
    await ask(`${simulator.controlUrl}/prices`, 'POST', { symbol: 'BTC/EUR', bid: '50000.5', ask: '50000.6' });
    assert.equal(await bid(), '50000.5');
    assert.deepEqual(simulator.state().pinned, ['BTC/EUR']);
    await ask(`${simulator.controlUrl}/prices/BTC/EUR`, 'DELETE');
    assert.ok(Math.abs(Number(await bid()) - usual) < 50);
    await ask(`${simulator.controlUrl}/rates`, 'POST', { eurCzk: '26.000' });
    assert.ok((await (await fetch(simulator.cnbUrl)).text()).includes('"rate":26.000}'));
    await ask(`${simulator.controlUrl}/rates`, 'DELETE');
    assert.ok((await (await fetch(simulator.cnbUrl)).text()).includes('"rate":24.315}'));
  });

  it('shows connections, subscriptions, requests and attempts to connect', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR', 'ETH/EUR']);
    await result(simulator, 'Time');
    const [, state] = await ask(`${simulator.controlUrl}/state`, 'GET');
    const [connection] = state.connections as Record<string, unknown>[];
    assert.deepEqual([connection?.tickers, connection?.received, connection?.sent], [2, 1, 5]);
    assert.deepEqual([state.subscriptions, state.connectsTotal, state.connectsLastMinute], [2, 1, 1]);
    assert.equal((state.requests as Record<string, number>).Time, 1);
    await clock.advance(60_001);
    assert.equal(simulator.state().connectsLastMinute, 0);
  });

  it('answers bad input with 400 and a message that names what is wrong', async (test) => {
    const { simulator } = await startForTest(test);
    const cases: [path: string, body: unknown, message: RegExp][] = [
      ['faults', 'x', /not JSON/],
      ['faults', [], /JSON object/],
      ['faults', { fault: 'nope' }, /unknown fault "nope".*freeze/],
      ['faults', { fault: 'freeze', color: 1 }, /"freeze" has no parameter "color".*existingOnly/],
      ['faults', { fault: 'freeze', symbol: 'BTC/EUR' }, /takes no "symbol"/],
      ['faults', { fault: 'mute-symbol' }, /needs "symbol"/],
      ['faults', { fault: 'mute-symbol', symbol: 'BTCEUR' }, /like "BTC\/EUR"/],
      ['faults', { fault: 'mute-symbol', symbol: 'NOPE/EUR' }, /NOPE\/EUR is not listed/],
      ['faults', { fault: 'pair-new', symbol: 'BTC/EUR' }, /already listed/],
      ['faults', { fault: 'mute', forMs: -1 }, /"forMs" must be a whole number/],
      ['faults', { fault: 'close', code: 1006 }, /"code" must be/],
      ['faults', { fault: 'refuse', status: '429' }, /"status" must be a whole number.*"429"/],
      ['faults', { fault: 'garbage', kind: 'odd' }, /"kind".*one of: json, binary/],
      ['faults', { fault: 'rate-stale', date: '2026-13-45' }, /not a calendar day/],
      ['prices', {}, /"symbol" is missing/],
      ['prices', { symbol: 'BTC/EUR' }, /nothing to set/],
      ['prices', { symbol: 'NOPE/EUR', bid: '1' }, /not listed/],
      ['prices', { symbol: 'BTC/EUR', bid: 1 }, /"bid" must be a plain decimal in quotes, not 1/],
      ['prices', { symbol: 'BTC/EUR', price: '1' }, /unknown field "price"/],
      ['rates', { eurCzk: '1e3' }, /"eurCzk"/],
    ];
    for (const [path, body, message] of cases) {
      const [status, answer] = await ask(`${simulator.controlUrl}/${path}`, 'POST', body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(String(answer.error), message);
    }
    assert.deepEqual(simulator.faults.active(), []);
    assert.equal((await ask(`${simulator.controlUrl}/nope`, 'GET'))[0], 404);
    assert.equal((await ask(`${simulator.controlUrl}/faults/nope`, 'DELETE'))[0], 400);
  });

  it('lists all faults', async (test) => {
    const { simulator } = await startForTest(test);
    const [, { faults }] = await ask(`${simulator.controlUrl}/`, 'GET');
    assert.deepEqual(Object.keys(faults as object), faultNames);
  });
});

describe('the programmatic interface', () => {
  it('rejects wrong requests and options the same way', async (test) => {
    const { simulator } = await startForTest(test);
    await assert.rejects(simulator.faults.set({ fault: 'close', code: 5 }), BadRequest);
    assert.throws(() => simulator.release('NOPE/EUR'), BadRequest);
    await assert.rejects(startExchangeSimulator({ markets: 0 }), RangeError);
    await assert.rejects(startExchangeSimulator({ port: Number(new URL(simulator.restUrl).port) }), /EADDRINUSE/);
  });

  it('stops everything, and a second stop does nothing', async () => {
    const simulator = await startExchangeSimulator({ quotes: ['EUR'] });
    await Promise.all([simulator.stop(), simulator.stop()]);
    for (const url of [simulator.restUrl, simulator.cnbUrl, simulator.controlUrl]) await assert.rejects(fetch(url));
  });
});
