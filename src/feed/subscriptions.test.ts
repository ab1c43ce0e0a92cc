import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveEvent } from './connector.ts';
import { type AcknowledgementStyle, Subscriptions } from './subscriptions.ts';

let clock: FakeClock;
let sent: string[];
let events: string[];

beforeEach(() => {
  clock = new FakeClock();
  sent = [];
  events = [];
});

const symbols = (...names: string[]) => names as unknown as MarketSymbol[];

function subscriptions(acknowledges: AcknowledgementStyle): Subscriptions {
  return new Subscriptions({
    clock,
    acknowledges,
    batchMax: 4,
    send: (method, asked, request, isSent) => {
      sent.push(`${request} ${method} ${asked.join('')}`);
      isSent();
    },
    listener: (event: LiveEvent) => {
      if (event.type === 'accepted') events.push(`+${event.symbol}`);
      if (event.type === 'rejected') events.push(`-${event.symbol} ${event.reason}`);
    },
  });
}

test('each: every symbol has its own answer, and silence is an answer at the deadline', async () => {
  const each = subscriptions('each');
  each.subscribe(symbols('A', 'B', 'C', 'D', 'E'));
  assert.deepEqual(sent, ['1 subscribe ABCD', '2 subscribe E']);
  each.accepted('A' as MarketSymbol);
  each.refused('B' as MarketSymbol, 'market');
  each.accepted('C' as MarketSymbol);
  await clock.advance(10_000);
  assert.deepEqual(events, ['+A', '-B refused', '+C', '-D unanswered', '-E unanswered']);
});

test('set: requests follow each other, and each answer is everything that is subscribed', async () => {
  const set = subscriptions('set');
  set.subscribe(symbols('A', 'B', 'C', 'D', 'E'));
  assert.deepEqual(sent, ['1 subscribe ABCD']);
  set.confirmed(symbols('A', 'B', 'D'));
  assert.equal(sent.length, 1);
  await clock.advance(10_000);
  assert.deepEqual(sent.slice(1), ['2 subscribe E']);
  set.confirmed(symbols('A', 'B', 'D', 'E'));
  assert.deepEqual(events, ['+A', '+B', '+D', '-C unanswered', '+E']);
});

test('set: a refused request is halved until the bad symbol stands alone', () => {
  const set = subscriptions('set');
  set.subscribe(symbols('A', 'B', 'C', 'D'));
  const subscribed: MarketSymbol[] = [];
  for (let at = 0; at < sent.length; at++) {
    const asked = sent[at]!.split(' ')[2]!;
    if (asked.includes('C')) set.refusedRequest('market');
    else set.confirmed(subscribed.splice(0, 0, ...symbols(...asked)) && [...subscribed]);
  }
  assert.deepEqual(
    sent.map((line) => line.split(' ')[2]),
    ['ABCD', 'AB', 'CD', 'C', 'D'],
  );
  assert.deepEqual(events, ['+A', '+B', '-C refused', '+D']);
});

test('set: a request whose symbols are all given up holds nothing back', () => {
  const set = subscriptions('set');
  set.subscribe(symbols('A', 'B'));
  set.unsubscribe(symbols('A', 'B'));
  set.subscribe(symbols('C'));
  assert.deepEqual(sent, ['1 subscribe AB', '2 unsubscribe AB', '3 subscribe C']);
});

test('none: the first frame accepts a symbol, and so does the deadline; an error names its request', async () => {
  const none = subscriptions('none');
  none.subscribe(symbols('A', 'B'));
  none.subscribe(symbols('X', 'Y'));
  none.refusedRequest('market', 2);
  assert.deepEqual(sent, ['1 subscribe AB', '2 subscribe XY', '3 subscribe X', '4 subscribe Y']);
  none.refusedRequest('market', 3);
  none.accepted('A' as MarketSymbol);
  await clock.advance(10_000);
  assert.deepEqual(events, ['-X refused', '+A', '+B', '+Y']);
});

test('a subscription that is renewed ends first, and its symbols are answered once', async () => {
  for (const style of ['each', 'set', 'none'] as const) {
    [sent, events] = [[], []];
    const renewed = subscriptions(style);
    renewed.subscribe(symbols('A'));
    renewed.unsubscribe(symbols('A'));
    renewed.subscribe(symbols('A'));
    assert.deepEqual(sent, ['1 subscribe A', '2 unsubscribe A', '3 subscribe A']);
    renewed.accepted('A' as MarketSymbol);
    await clock.advance(10_000);
    assert.deepEqual(events, ['+A']);
  }
});
