import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LiveEvent } from '../connector.ts';
import { SimulatorRig } from '../simulator-rig.testing.ts';
import { UpstreamError, type UpstreamErrorKind } from '../wire.ts';
import { CoinmateConnector, PolledLive } from './connector.ts';

const btc = 'BTCCZK' as MarketSymbol;
const eth = 'ETHCZK' as MarketSymbol;

function opened() {
  const clock = new FakeClock();
  const events: LiveEvent[] = [];
  const state: { listed: MarketSymbol[]; error: UpstreamErrorKind | undefined; polls: number } = {
    listed: [btc],
    error: undefined,
    polls: 0,
  };
  const load = async (): Promise<readonly UpstreamTicker[]> => {
    state.polls++;
    if (state.error !== undefined) throw new UpstreamError(state.error, 'no', 7_000);
    return state.listed.map((symbol) => ({ symbol }) as UpstreamTicker);
  };
  const live = new PolledLive(clock, load, (event) => {
    events.push(event);
    if (event.type === 'opened') live.subscribe([btc]);
  });
  return { clock, events, state, live };
}

const names = (events: readonly LiveEvent[]) => events.map((event) => event.type);

test('the first answer opens the connection, accepts what it lists and is its snapshot; updates follow every 2 seconds', async () => {
  const { clock, events, state, live } = opened();
  await clock.advance(0);
  assert.deepEqual(names(events), ['opened', 'frame', 'accepted', 'ticker']);
  await clock.advance(4_000);
  const tickers = events.flatMap((event) => (event.type === 'ticker' ? event.isSnapshot : []));
  assert.deepEqual([state.polls, tickers], [3, [true, false, false]]);
  live.terminate();
  assert.equal(clock.pendingTimers, 0);
});

test('a symbol that an answer lacks is refused, and one that is not subscribed is not passed on', async () => {
  const { clock, events, state, live } = opened();
  await clock.advance(0);
  live.subscribe([eth]);
  await clock.advance(2_000);
  assert.deepEqual(events.at(-2), { type: 'rejected', symbol: eth, reason: 'refused' });
  state.listed = [btc, eth];
  live.unsubscribe([btc]);
  await clock.advance(2_000);
  const last = events.at(-1);
  assert.deepEqual(last?.type === 'ticker' && last.tickers.map(({ symbol }) => symbol), [eth]);
  live.terminate();
});

test('an answer that cannot be read is dropped and polling goes on; any other failure ends the connection', async () => {
  for (const [error, reason] of [
    ['network', 'network'],
    ['timeout', 'connect_timeout'],
    ['rate_limited', 'refused'],
    ['too_large', 'oversized'],
  ] as const) {
    const { clock, events, state, live } = opened();
    await clock.advance(0);
    state.error = 'malformed';
    await clock.advance(2_000);
    assert.deepEqual(events.at(-1), { type: 'dropped', reason: 'malformed' });
    state.error = error;
    await clock.advance(2_000);
    assert.deepEqual(events.at(-1), { type: 'closed', reason, detail: 'no', retryAfterMs: 7_000 });
    assert.equal(clock.pendingTimers, 0);
    live.terminate();
  }
});

test('the feed falls back when requests fail, and comes back by itself', async () => {
  const rig = await SimulatorRig.startLive({
    dialect: 'coinmate',
    connector: CoinmateConnector,
    simulator: { markets: 4, quotes: ['EUR'] },
  });
  try {
    await rig.simulator.faults.set({ fault: 'rest-html', call: 'tickerAll' });
    await rig.pass('a dropped answer', () => (rig.health.framesDropped.malformed ?? 0) > 0);
    await rig.simulator.faults.clear();
    await rig.simulator.faults.set({ fault: 'rest-500', call: 'tickerAll' });
    await rig.pass('the end', () => rig.health.path === 'fallback');
    assert.equal(rig.health.connectionsEnded.refused, 1);
    await rig.simulator.faults.clear();
    await rig.pass('live again', () => rig.health.path === 'live');
  } finally {
    await rig.stop();
  }
});
