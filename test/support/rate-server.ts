import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';

/** Starts a rate service without dates that says what a test says, with the settings that read it. */
export async function startRateServer(t: Pick<TestContext, 'after'>, first: string) {
  const state = { rate: first, reads: 0 };
  const server = createServer((_, response) => {
    state.reads++;
    response.end(`{"base":"EUR","rates":{"CZK":${state.rate}}}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const untilRead = async () => {
    const before = state.reads;
    await eventually('the rate is read again', () => state.reads > before + 1, 40_000);
  };
  return { state, untilRead, settings: { 'rates.source': 'json', 'rates.url': url, 'rates.pointer': '/rates/CZK' } };
}
