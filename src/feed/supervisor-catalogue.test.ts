import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { symbol } from '../market/samples.testing.ts';
import { FeedRig } from './feed-rig.testing.ts';
import type { FeedTiming } from './parts.ts';

let rig: FeedRig;

afterEach(() => rig.stop());

const answer = (result: unknown) => ({ body: JSON.stringify({ error: [], result }) });
const loads = () => rig.sink.catalogues.length;

async function live(timing: Partial<FeedTiming> = {}): Promise<void> {
  rig = new FeedRig({ timing });
  await rig.startLive();
}

function serveCatalogue(body: () => { body?: string; status?: number }): void {
  rig.exchange.rest = (call) => (call === 'AssetPairs' ? body() : rig.rest(call));
}

function tell(symbol: string, status: string): void {
  const pairs = [{ symbol, base: symbol.split('/')[0], quote: 'EUR', status }];
  rig.exchange.peer.send({ channel: 'instrument', type: 'update', data: { assets: [], pairs } });
}

const alive = () => rig.update('C0');

test('an empty or failed load is no evidence: the sink hears nothing, and every symbol stays', async () => {
  await live({ catalogueReloadMs: 60_000 });
  let bad = 0;
  const answers = [answer({}), { body: '<html>' }, { status: 500 }, { body: '{"error":["EService:Unavailable"]}' }];
  serveCatalogue(() => answers[bad++ % answers.length]!);
  await rig.live(120_000, alive);
  assert.ok(bad >= 4);
  assert.equal(loads(), 1);
  assert.equal(rig.health.symbolsWanted, 3);
  assert.equal(rig.health.path, 'live');
});

test('the catalogue is loaded again after its time, give or take a tenth', async () => {
  await live({ catalogueReloadMs: 60_000 });
  await rig.live(50_000, alive);
  assert.equal(loads(), 1);
  await rig.live(17_000, alive);
  assert.equal(loads(), 2);
});

test('a pair announced live is loaded at once, subscribed, and announced again causes no second load', async () => {
  await live();
  await rig.live(30_000, alive);
  serveCatalogue(() => answer(rig.pairs([...rig.names, 'NEW'])));
  tell('NEW/EUR', 'online');
  await rig.live(2_000, alive);
  assert.deepEqual(rig.sink.catalogues.at(-1), ['C0EUR', 'C1EUR', 'C2EUR', 'NEWEUR']);
  assert.ok(rig.exchange.peer.subscribed.has('NEW/EUR'));
  const before = loads();
  tell('ODD/EUR', 'online');
  tell('ODD/EUR', 'online');
  await rig.live(40_000, alive);
  tell('ODD/EUR', 'online');
  await rig.live(40_000, alive);
  assert.equal(loads(), before + 1);
});

test('a state that changes live reaches the sink as it happens, once, and a delisted pair pauses and reloads', async () => {
  await live();
  await rig.live(31_000, alive);
  tell('C1/EUR', 'cancel_only');
  tell('C1/EUR', 'cancel_only');
  tell('C1/EUR', 'limit_only');
  tell('C1/EUR', 'online');
  await rig.arrive();
  assert.deepEqual(rig.sink.statuses, [
    ['C1EUR', 'paused'],
    ['C1EUR', 'trading'],
  ]);
  tell('C2/EUR', 'delisted');
  await rig.live(2_000, alive);
  assert.deepEqual(rig.sink.statuses.at(-1), ['C2EUR', 'paused']);
  assert.equal(loads(), 2);
});

test('a market missing from loads is asked for again and again, and unsubscribed once it is delisted', async () => {
  await live();
  const missing = () => answer(rig.pairs(['C0', 'C1']));
  await rig.live(31_000, alive);
  serveCatalogue(missing);
  tell('NEW1/EUR', 'online');
  await rig.live(2_000, alive);
  assert.equal(loads(), 2);
  assert.ok(rig.exchange.peer.subscribed.has('C2/EUR'));
  await rig.live(140_000, alive);
  assert.equal(loads(), 4);
  assert.ok(rig.exchange.peer.subscribed.has('C2/EUR'));
  assert.equal(rig.sink.markets.catalogue.find(symbol('C2EUR'))?.status, 'paused');
  const delisted = { symbol: symbol('C2EUR'), operatorPaused: false, delistedAt: rig.clock.now() };
  rig.sink.markets.applyControls([delisted]);
  await rig.live(70_000, alive);
  assert.equal(loads(), 5);
  assert.deepEqual([...rig.exchange.peer.subscribed], ['C0/EUR', 'C1/EUR']);
  assert.equal(rig.health.symbolsWanted, 2);
});

test('pairs that wait are neither subscribed nor asked for, and are once they are accepted (fault row 97)', async () => {
  await live({ catalogueReloadMs: 600_000, catalogueRecheckMs: 60_000 });
  await rig.live(31_000, alive);
  const flood = Array.from({ length: 60 }, (_, index) => `F${index}`);
  serveCatalogue(() => answer(rig.pairs([...rig.names, ...flood])));
  tell('F0/EUR', 'online');
  await rig.live(2_000, alive);
  assert.equal(loads(), 2);
  assert.equal(rig.health.symbolsWanted, 3);
  assert.deepEqual([...rig.exchange.peer.subscribed], ['C0/EUR', 'C1/EUR', 'C2/EUR']);
  await rig.live(70_000, alive);
  assert.equal(loads(), 3, 'soon again, in case it was a fault');
  await rig.live(140_000, alive);
  assert.equal(loads(), 3, 'then as usual');
  const accepted = flood.map((base) => symbol(`${base}EUR`));
  const { reviews } = rig.sink.markets.catalogue;
  const nothing = { rejected: [], kept: [], keptAt: rig.clock.now() };
  const [source] = reviews.pending.map((each) => each.source);
  reviews.onAccepted = () => rig.supervisor.reloadCatalogue();
  reviews.decide([{ source: source!, accepted, ...nothing }]);
  await rig.live(2_000, alive);
  assert.equal(loads(), 4);
  assert.equal(rig.health.symbolsWanted, 63);
  assert.ok(rig.exchange.peer.subscribed.has('F59/EUR'));
});

test('a load that was asked before a live change does not take that change back', async () => {
  await live();
  await rig.live(31_000, alive);
  let proceed: (() => void) | undefined;
  rig.exchange.rest = (call, parameters) => {
    if (call !== 'AssetPairs' || parameters.has('aclass_base')) return rig.rest(call);
    return { ...answer(rig.pairs()), wait: (go: () => void) => (proceed = go) };
  };
  tell('NEW/EUR', 'online');
  await rig.pass('a load under way', () => proceed !== undefined);
  tell('C1/EUR', 'post_only');
  await rig.arrive();
  proceed?.();
  await rig.pass('the load', () => loads() === 2, 1);
  const status = rig.sink.markets.catalogue.find(symbol('C1EUR'))?.status;
  assert.equal(status, 'paused');
});
