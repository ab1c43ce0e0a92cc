import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { before, describe, type TestContext, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { contractLimits } from '../../src/contract/limits.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';
import { installed, type ServingProcess } from './serving-process.ts';

const memoryMax = 400e6;
const attackedMs = 4_000;
/** Half of all answers: the slowest say more of what else the machine does. */
const answeredWithinMs = 50;
const program = new URL('./flood-attacker.ts', import.meta.url);

async function residentOf(service: ServingProcess): Promise<number> {
  return (await service.metrics()).value('mdapi_process_resident_memory_bytes');
}

/** Whatever is sent without a key, from how many addresses ever, clients with one are served and memory is bounded. */
describe('a flood without a key', () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  });

  async function started(t: TestContext) {
    t.after(() => simulator.stop());
    const { key, start } = await installed(t, simulator, {
      markets: { symbols: 'all' },
      limits: { ...contractLimits, key: 1_000_000 },
    });
    const service = await start();
    const api = await ApiClient.of(service.baseUrl, key);
    await eventually('prices', async () => (await api.outcome('/v1/tickers')) === '200');
    return { service, api, key };
  }

  test('of pages that nobody reads leaves memory bounded and clients with a key served (fault rows 51, 52 and 53)', async (t) => {
    const { service, api, key } = await started(t);
    const client = await Wire.open(service.port);
    const ask = `GET /v1/ticker?symbol=BTCEUR HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
    await eventually('the client is served', async () => (await client.ask(ask)).status === 200);
    const attack = fork(program, [String(service.port), String(sized(300, 1_500))], { execArgv: [] });
    t.after(() => attack.kill('SIGKILL'));
    await once(attack, 'message');
    const took: number[] = [];
    let resident = 0;
    for (const untilMs = performance.now() + attackedMs; performance.now() < untilMs; ) {
      const askedMs = performance.now();
      const { status } = await client.ask(ask);
      took.push(performance.now() - askedMs);
      assert.equal(status, 200);
      if (took.length % 50 === 0) resident = Math.max(resident, await residentOf(service));
    }
    const at = (part: number) => took.toSorted((a, b) => a - b)[Math.floor((took.length - 1) * part)]!;
    const [half, most, all] = [0.5, 0.99, 1].map((part) => at(part).toFixed(1));
    t.diagnostic(
      `${Math.round(resident / 1e6)} MB; ${took.length} answers: ${half} ms, p99 ${most} ms, ${all} ms at most`,
    );
    assert.ok(resident < memoryMax, `${Math.round(resident / 1e6)} MB`);
    assert.ok(at(0.5) < answeredWithinMs, `half of all answers took longer than ${half} ms`);
    assert.ok((await service.metrics()).value('mdapi_connections_cut_total') > 0, 'who sends ahead too much is cut');
    assert.equal(await api.outcome('/v1/status'), '200');
    assert.deepEqual(service.failures, []);
  });
});
