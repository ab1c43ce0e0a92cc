import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBig } from './decimal.ts';
import { agreementsOf, type Deviating, type Judging, judgeDeviations } from './peer-judgement.ts';
import { QuoteChanges } from './quote-changes.ts';
import { after, decimal, start } from './samples.testing.ts';

const reach = toBig(decimal('1.02'));

interface Case extends Partial<Omit<Deviating, 'level' | 'ownLevel' | 'closeLevel'>> {
  readonly level: string;
  readonly own?: string;
  readonly close?: string;
}

/** Judges sources that are split where a case says nothing else, and agreed before. */
function judged(cases: readonly Case[], changes: Partial<Judging> = {}) {
  const sources = cases.map(({ level, own, close, ...rest }): Deviating => {
    return {
      agreement: 'split',
      level: toBig(decimal(level)),
      ownLevel: own === undefined ? undefined : toBig(decimal(own)),
      closeLevel: close === undefined ? undefined : toBig(decimal(close)),
      wasContradicted: false,
      reason: undefined,
      isOutvoted: false,
      isStill: false,
      isBusy: false,
      ...rest,
    };
  });
  const judging = { used: 0, reference: () => undefined, hasAgreed: () => true, reach, ...changes };
  return judgeDeviations(sources, judging).map((verdict) => (verdict?.isCleared ? 'cleared' : verdict?.reason));
}

const still = { level: '100', own: '100', isStill: true };
const moving = { level: '105', own: '100', isBusy: true };

test('of two the one that left its own level is contradicted, unless the other is still while it moves', () => {
  assert.deepEqual(judged([{ level: '100', own: '100' }, moving]), [undefined, 'contradicted']);
  assert.deepEqual(judged([still, { ...moving, isBusy: false }]), [undefined, 'contradicted']);
  assert.deepEqual(judged([still, moving]), ['contradicted', undefined]);
});

test('one that was taken for the deviating one is cleared once the other is seen to be still', () => {
  const misjudged = { ...moving, reason: 'contradicted' as const };
  const alone = { ...still, agreement: 'alone' as const };
  assert.deepEqual(judged([alone, misjudged]), ['contradicted', 'cleared']);
  assert.deepEqual(judged([alone, { ...misjudged, isOutvoted: true }]), [undefined, 'contradicted']);
});

test('one is not still because another moves while a third is elsewhere, or because two move that are apart', () => {
  const elsewhere = { level: '90', own: '90' };
  assert.deepEqual(judged([still, moving, elsewhere]), [undefined, 'contradicted', undefined]);
  assert.deepEqual(judged([still, moving, { ...moving, level: '95' }]), [undefined, 'contradicted', 'contradicted']);
  const together = { ...moving, agreement: 'agrees' as const };
  assert.deepEqual(judged([still, together, together]), ['contradicted', undefined, undefined]);
});

test('of two that never agreed the one in use keeps the price, however still it is', () => {
  const never = { hasAgreed: () => false };
  const fresh = { level: '105', isBusy: true };
  assert.deepEqual(judged([{ level: '100', isStill: true }, fresh], never), [undefined, 'not_comparable']);
  assert.deepEqual(judged([fresh, { level: '100', isStill: true }], { ...never, used: 1 }), [
    'not_comparable',
    undefined,
  ]);
});

test('of two that came apart slowly the one that moved three times as far since they agreed closely is contradicted', () => {
  const drifted = { level: '101.6', own: '101.5', close: '100' };
  assert.deepEqual(judged([drifted, { level: '99.5', own: '99.5', close: '100' }]), ['contradicted', undefined]);
  assert.deepEqual(judged([{ level: '99.5', own: '99.5', close: '100' }, drifted]), [undefined, 'contradicted']);
  assert.deepEqual(judged([drifted, { level: '99.4', own: '99.4', close: '100' }]), [undefined, undefined]);
  assert.deepEqual(judged([drifted, { level: '99.5', own: '99.5' }]), [undefined, undefined], 'it never was close');
  const returned = { level: '97', own: '97', close: '97' };
  assert.deepEqual(judged([{ ...drifted, level: '100.1', own: '100' }, returned]), [undefined, undefined]);
});

test('a contradicted source stays so while it is apart, and is no side against another', () => {
  const contradicted = { level: '95', own: '97', reason: 'contradicted' as const };
  const alone = { level: '103', own: '100', agreement: 'alone' as const };
  assert.deepEqual(judged([alone, contradicted]), [undefined, 'contradicted']);
});

test('a source that is only polled is compared, and no other is compared with it', () => {
  const quote = (level: string, isPeer = true) => ({ level: toBig(decimal(level)), isPeer });
  assert.deepEqual(agreementsOf([quote('100'), quote('105', false)], reach), ['alone', 'split']);
  assert.deepEqual(agreementsOf([quote('100'), undefined, quote('101')], reach), ['agrees', undefined, 'agrees']);
  assert.deepEqual(agreementsOf([quote('100'), quote('101'), quote('105')], reach), ['agrees', 'agrees', 'outvoted']);
});

test('a source is still after ten seconds without a change, and busy with ten changes within ten seconds', () => {
  const changes = new QuoteChanges();
  const at = (second: number) => after(start, second * 1_000);
  assert.deepEqual([changes.isStill(at(0)), changes.isBusy(at(0))], [false, false], 'it said nothing');
  for (let second = 0; second < 9; second++) changes.note(at(second));
  assert.equal(changes.isBusy(at(8)), false);
  changes.note(at(9));
  assert.deepEqual([changes.isBusy(at(10)), changes.isBusy(after(at(10), 1))], [true, false]);
  assert.deepEqual([changes.isStill(after(at(19), -1)), changes.isStill(at(19))], [false, true]);
  for (let second = 20; second < 26; second++) changes.note(at(second));
  assert.deepEqual([changes.isStill(at(26)), changes.isBusy(at(26))], [false, false]);
});
