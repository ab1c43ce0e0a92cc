import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../support/fake-clock.ts';
import { History, type Observation, observationOf } from '../support/history.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';
import { seed, sized } from './full-size.ts';
import { Chooser } from './mutations.ts';

test(`what many clients with several keys see over many minutes is one consistent history (fault rows 9, 24 and 28, seed ${seed})`, async (t) => {
  const clock = new FakeClock('2026-11-21T10:00:57.000Z');
  const api = await ListenerHarness.start({ clock });
  t.after(() => api.stop());
  const bases = ['BTC', 'ETH', 'XRP', 'ADA'];
  api.list(...bases);
  for (const base of bases) api.tick(base, '100.00', '100.10');
  const keys = [api.addKey(), api.addKey({ limitPerMinute: 7 }), api.addKey({ limitPerMinute: 200 }), 'wrong'];
  const history = new History();
  const steps = sized(150, 3000);
  const endMs = clock.now() + steps * 900;

  const client = async (name: string, number: number) => {
    const random = new Chooser(seededRandomness(seed + number));
    const wire = await Wire.open(api.port);
    const keyNumber = number % keys.length;
    for (let asked = 0; clock.now() < endMs && asked < steps * 20; asked++) {
      const path = random.of([
        '/v1/tickers',
        '/v1/tickers',
        '/v1/ticker',
        '/v1/time',
        '/v1/status',
        '/v1/markets',
        '/v1/nothing',
      ]);
      const target = path === '/v1/ticker' ? `${path}?symbol=${random.of(bases)}EUR` : path;
      const sentAtMs = clock.now();
      const response = await wire.ask(
        api.requestText(target, { key: keys[keyNumber]!, headers: { Connection: 'keep-alive' } }),
      );
      api.validate('GET', target, response);
      const who = { client: name, key: `key ${keyNumber}`, path };
      history.observe(observationOf({ ...who, sentAtMs, answeredAtMs: clock.now() }, response));
      await new Promise((resolve) => setImmediate(resolve));
    }
    wire.close();
  };
  const clients = Array.from({ length: 16 }, (_, number) => client(`client ${number}`, number));
  const random = new Chooser(seededRandomness(seed));
  while (clock.now() < endMs) {
    api.tick(random.of(bases), `${100 + random.below(9)}.00`, `${110 + random.below(9)}.00`);
    await clock.advance(random.below(10) === 0 ? random.below(8000) : random.below(400));
  }
  await Promise.all(clients);
  assert.deepEqual(history.finish(), []);
  t.diagnostic(`${history.observed} answers`);
  assert.ok(history.observed > steps * 2, `${history.observed} answers`);
});

const minute = Date.parse('2026-11-21T10:01:00.000Z');

/** A good answer in the minute from 10:00, with what is said to be wrong of it. */
function answer(remaining: number, changes: Partial<Observation> = {}): Observation {
  return {
    client: 'a',
    key: 'k',
    path: '/v1/time',
    sentAtMs: minute - 5000,
    answeredAtMs: minute - 4000,
    status: 200,
    code: undefined,
    isUnauthenticated: false,
    limit: { limit: 3, remaining, resetSeconds: minute / 1000 },
    tickerTimes: {},
    ...changes,
  };
}

const refused = answer(0, { status: 429, code: 'RATE_LIMIT_EXCEEDED' });
const unauthenticated = { status: 401, code: 'INVALID_API_KEY', isUnauthenticated: true };
const histories: Record<string, readonly [Observation[], RegExp | undefined]> = {
  'nothing wrong': [[answer(2), answer(1), answer(0), refused, refused], undefined],
  'a key that is refused from some moment on': [
    [answer(2), answer(2, { ...unauthenticated, client: 'b' }), answer(1, unauthenticated), answer(1, { client: 'b' })],
    undefined,
  ],
  'fewer than the limit': [[answer(2), answer(1)], undefined],
  'more admitted than the limit': [
    [2, 1, 0, 0].map((left, index) => answer(left, { client: `${index}` })),
    /more than the limit/,
  ],
  'refused too early': [[answer(2), answer(1), refused], /not the smaller of sent and limit/],
  'a request counted twice': [[answer(2), answer(0)], /0 left at the end/],
  'one place given twice': [[answer(2), answer(2, { client: 'b' })], /got twice that 2 are left/],
  'remaining that rises': [[answer(1), answer(2)], /did not fall/],
  'remaining on a refusal': [[answer(1, { status: 429, code: 'RATE_LIMIT_EXCEEDED' })], /Remaining is 1 of 3 on a 429/],
  'a reset off the minute': [
    [answer(2, { limit: { limit: 3, remaining: 2, resetSeconds: minute / 1000 + 1 } })],
    /not a full minute/,
  ],
  'a reset of another minute': [[answer(2, { sentAtMs: minute, answeredAtMs: minute })], /of another minute/],
  'a ticker that goes back': [
    [answer(2, { tickerTimes: { X: 5 } }), answer(1, { tickerTimes: { X: 4 } })],
    /went back from 5 to 4/,
  ],
  'an undocumented status': [[answer(2, { status: 502 })], /answered 502/],
  'a 500': [[answer(2, { status: 500, code: 'INTERNAL_ERROR' })], /answered 500/],
  'a status that is not its code’s': [[answer(2, { status: 503, code: 'NOT_FOUND' })], /answered 503/],
};

for (const [what, [observations, fault]] of Object.entries(histories)) {
  test(`the history checker ${fault === undefined ? 'accepts' : 'finds'} ${what}`, () => {
    const history = new History();
    for (const observation of observations) history.observe(observation);
    const faults = history.finish().join('\n');
    if (fault === undefined) assert.equal(faults, '');
    else assert.match(faults, fault);
  });
}

test('the history checker judges a window once the next one but one begins, and forgives one in which an answer was lost', () => {
  const history = new History();
  history.observe(answer(2));
  history.observe(refused);
  history.noteUnanswered('lossy', minute - 4000, minute - 3000);
  history.observe(answer(1, { key: 'lossy', client: 'b' }));
  const later = { sentAtMs: minute + 61_000, answeredAtMs: minute + 61_000 };
  history.observe(
    answer(2, { ...later, key: 'other', limit: { limit: 3, remaining: 2, resetSeconds: minute / 1000 + 120 } }),
  );
  assert.equal(history.faults.length, 1);
  assert.equal(history.finish().length, 1);
});
