import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Beliefs, type Speaker } from './beliefs.ts';
import type { Deceit } from './telling.ts';

const long = Number.NEGATIVE_INFINITY;
const never = Number.POSITIVE_INFINITY;

/** A world of three sources that have told the truth for long. */
function world() {
  const speaker = (name: string) => ({ name, heardAtMs: 0, since: long, factor: 1 });
  const all = { kraken: speaker('kraken'), bitvavo: speaker('bitvavo'), coinbase: speaker('coinbase') };
  const spoken = {
    nowMs: 600_000,
    disturbedAtMs: long,
    speakers: Object.values(all).map(
      (each): Speaker => ({
        name: each.name,
        get heardAtMs() {
          return each.heardAtMs;
        },
        steadySinceMs: () => each.since,
        factorOf: () => each.factor,
      }),
    ),
  };
  const beliefs = new Beliefs(spoken);
  for (const each of Object.values(all)) each.heardAtMs = spoken.nowMs;
  return {
    ...all,
    spoken,
    beliefs,
    deceive(source: keyof typeof all, factor: number, deceit: Deceit = { how: 'scaled', factor }) {
      all[source].factor = factor;
      beliefs.deceives(source, 'BTCEUR', deceit);
    },
    /** Time goes on, second by second. */
    pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        spoken.nowMs += 1_000;
        beliefs.look();
      }
    },
    /** Whether a price of a source may be shown that is off by so much now. */
    may(source: keyof typeof all, deviation: number, before = deviation) {
      const quote = { source, fromMs: spoken.nowMs, isTrue: deviation === 0 };
      return beliefs.isAllowed(quote, 'BTCEUR', spoken.nowMs, { now: deviation, before });
    },
  };
}

test('one source that jumps is never believed while another stays, whatever it jumps by and however long it insists', () => {
  for (const factor of [1.05, 1.5, 100, 0.01]) {
    const { deceive, pass, may, coinbase } = world();
    coinbase.since = never;
    deceive('bitvavo', factor);
    pass(3_600);
    assert.equal(may('bitvavo', Math.max(factor, 1 / factor) - 1), false, `${factor}`);
    assert.equal(may('kraken', 0), true);
  }
});

test('what is near the true price cannot be told from it, and what leaves slowly is found ten seconds later', () => {
  const { deceive, pass, may } = world();
  deceive('bitvavo', 1.02, { how: 'drifting', perMinute: 1.01, furthest: 1.3 });
  pass(10);
  assert.deepEqual(
    [may('bitvavo', 0.024), may('bitvavo', 0.026, 0.024), may('bitvavo', 0.03, 0.026)],
    [true, true, false],
  );
  const jump = world();
  jump.deceive('bitvavo', 1.03);
  jump.pass(10);
  assert.equal(jump.may('bitvavo', 0.03, 0), false, 'one that jumps is found at once');
});

test('what a market comes to and leaves again is found as what it leaves slowly, and what goes along with it at once', () => {
  const met = world();
  met.deceive('bitvavo', 0.95, { how: 'fixed', factor: 0.95 });
  met.pass(10);
  assert.equal(met.may('bitvavo', 0.05, 0), false, 'it was not there before');
  met.pass(10);
  assert.deepEqual([met.may('bitvavo', 0.05, 0.02), met.may('bitvavo', 0.05, 0.03)], [true, false]);
  const scaled = world();
  scaled.deceive('bitvavo', 0.95);
  scaled.pass(20);
  assert.equal(scaled.may('bitvavo', 0.05, 0.02), false);
});

test('a source that is alone is believed up to double and half, and further only once nobody has been heard for long', () => {
  const alone = (factor: number) => {
    const made = world();
    for (const other of [made.kraken, made.coinbase]) other.since = never;
    made.deceive('bitvavo', factor);
    made.pass(60);
    return made;
  };
  assert.equal(alone(1.9).may('bitvavo', 0.9), true);
  const far = alone(100);
  assert.equal(far.may('bitvavo', 99), false);
  far.pass(300);
  assert.equal(far.may('bitvavo', 99), true);
});

test('what was believed of one that was alone may be so until two others have told the truth for long', () => {
  const { deceive, pass, may, kraken, coinbase, spoken } = world();
  for (const other of [kraken, coinbase]) other.since = never;
  deceive('bitvavo', 1.5);
  pass(60);
  kraken.since = spoken.nowMs;
  pass(600);
  assert.equal(may('bitvavo', 0.5), true);
  coinbase.since = spoken.nowMs;
  pass(89);
  assert.equal(may('bitvavo', 0.5), true);
  pass(20);
  assert.equal(may('bitvavo', 0.5), false);
});

test('two that say the same outvote the third, but against the one in use only after ten seconds where they are far', () => {
  const near = world();
  near.deceive('bitvavo', 1.5);
  near.deceive('coinbase', 1.5);
  near.pass(1);
  assert.equal(near.may('bitvavo', 0.5), true);
  const far = world();
  far.deceive('bitvavo', 100);
  far.pass(60);
  far.deceive('coinbase', 100);
  far.pass(1);
  assert.equal(far.may('coinbase', 99), false);
  far.pass(10);
  assert.equal(far.may('coinbase', 99), true);
  const withFirst = world();
  withFirst.deceive('kraken', 100);
  withFirst.deceive('coinbase', 100);
  withFirst.pass(1);
  assert.equal(withFirst.may('coinbase', 99), true);
  const apart = world();
  apart.deceive('bitvavo', 1.5);
  apart.deceive('coinbase', 0.7);
  apart.pass(60);
  assert.equal(apart.may('bitvavo', 0.5), false);
});

test('after a start in the middle of a lie one other is not enough, and two are', () => {
  const { deceive, pass, may, spoken, coinbase } = world();
  coinbase.since = never;
  deceive('bitvavo', 1.5);
  pass(10);
  spoken.disturbedAtMs = spoken.nowMs;
  pass(10);
  assert.equal(may('bitvavo', 0.5), true);
  coinbase.since = long;
  pass(20);
  assert.equal(may('bitvavo', 0.5), false);
});

test('what a source repeats was true once, and is a lie when the market has left it', () => {
  const { deceive, pass, may, beliefs, spoken } = world();
  deceive('bitvavo', 1.05, { how: 'repeated', frame: 'again' });
  pass(60);
  const quote = { source: 'bitvavo', fromMs: spoken.nowMs - 70_000, isTrue: true };
  const allows = (now: number, before: number) => beliefs.isAllowed(quote, 'BTCEUR', spoken.nowMs, { now, before });
  assert.deepEqual([allows(0.05, 0.01), allows(0.05, 0.05)], [true, false]);
  assert.equal(may('kraken', 0), true);
});

test('a price may be as old as a frame that is repeated near the true one, and for as long as it is found after', () => {
  const frozen = (frame: 'again' | 'one frame') => {
    const made = world();
    made.deceive('bitvavo', 1.02, { how: 'repeated', frame });
    made.pass(60);
    return made;
  };
  const { beliefs, bitvavo, pass, spoken } = frozen('one frame');
  const nearMs = spoken.nowMs;
  bitvavo.factor = 1.05;
  pass(60);
  assert.equal(beliefs.frozenUntilMs('BTCEUR'), nearMs + 25_000);
  const last = frozen('one frame');
  for (const other of [last.kraken, last.coinbase]) other.since = never;
  last.bitvavo.factor = 1.05;
  last.pass(60);
  assert.equal(last.beliefs.frozenUntilMs('BTCEUR'), last.spoken.nowMs + 25_000, 'nobody says otherwise');
  assert.equal(frozen('again').beliefs.frozenUntilMs('BTCEUR'), long, 'it says that it holds now');
});

test('how long ago a price was believed that others do not take over from is known', () => {
  const { deceive, pass, beliefs, kraken, coinbase, spoken } = world();
  assert.equal(beliefs.movedAtMs('BTCEUR'), long);
  for (const other of [kraken, coinbase]) other.since = never;
  deceive('bitvavo', 1.05);
  pass(60);
  assert.equal(beliefs.movedAtMs('BTCEUR'), long);
  deceive('bitvavo', 1.5);
  pass(60);
  const lastMs = spoken.nowMs;
  beliefs.deceives('bitvavo', 'BTCEUR', undefined);
  pass(60);
  assert.equal(beliefs.movedAtMs('BTCEUR'), lastMs);
});

test('a source that was contradicted is trusted again a minute after its lie, or where nobody else is left', () => {
  const { deceive, pass, beliefs, spoken, bitvavo, kraken, coinbase } = world();
  const isTrusted = () => beliefs.isTrusted('bitvavo', 'BTCEUR', spoken.nowMs);
  deceive('bitvavo', 1.5);
  pass(5);
  bitvavo.heardAtMs = spoken.nowMs;
  pass(5);
  bitvavo.factor = 1;
  beliefs.deceives('bitvavo', 'BTCEUR', undefined);
  pass(30);
  assert.equal(isTrusted(), false);
  for (const other of [kraken, coinbase]) other.since = never;
  assert.equal(isTrusted(), true);
  for (const other of [kraken, coinbase]) other.since = long;
  pass(30);
  assert.equal(isTrusted(), true);
  deceive('kraken', 1.5);
  pass(5);
  beliefs.deceives('kraken', 'BTCEUR', undefined);
  assert.equal(beliefs.isTrusted('kraken', 'BTCEUR', spoken.nowMs), true, 'nobody had heard it');
});

test('a source that two contradicted may be kept out until another has agreed with it for over a minute', () => {
  const { deceive, pass, beliefs, bitvavo, kraken, coinbase } = world();
  const may = () => beliefs.mayBeKeptOut('bitvavo', 'BTCEUR');
  deceive('bitvavo', 1.5);
  pass(10);
  bitvavo.factor = 1;
  beliefs.deceives('bitvavo', 'BTCEUR', undefined);
  pass(3);
  for (const other of [kraken, coinbase]) other.since = never;
  pass(600);
  assert.equal(may(), true, 'nobody is there to agree with it');
  coinbase.since = long;
  pass(70);
  assert.equal(may(), true);
  pass(10);
  assert.equal(may(), false);
  coinbase.since = never;
  pass(10);
  assert.equal(may(), false, 'it stays cleared');
  assert.equal(beliefs.mayBeKeptOut('kraken', 'BTCEUR'), false);
});

test('a source that deceived within the band, or of which one other alone says otherwise, is not kept out', () => {
  const near = world();
  near.deceive('bitvavo', 1.02);
  near.pass(10);
  near.beliefs.deceives('bitvavo', 'BTCEUR', undefined);
  assert.equal(near.beliefs.mayBeKeptOut('bitvavo', 'BTCEUR'), false);
  const split = world();
  split.deceive('coinbase', 1.02);
  split.deceive('bitvavo', 1.5);
  split.pass(10);
  split.beliefs.deceives('bitvavo', 'BTCEUR', undefined);
  assert.equal(split.beliefs.mayBeKeptOut('bitvavo', 'BTCEUR'), false);
});
