import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { exampleOf } from '../contract/schema-parts.ts';
import { alertEvents } from '../operator/alert-event.ts';
import type { AlertRecord } from '../store/alerts.ts';
import { alertView } from './alert.ts';
import { conditions, foundConditions, matters } from './list.ts';

test('no code stands for two conditions', () => {
  const declared = Object.values(matters).flatMap((matter) => Object.keys(matter));
  assert.deepEqual(declared.toSorted(), Object.keys(conditions).toSorted());
});

test('each condition can be sent: it is a kind of thing that destinations are told of, and says what it is', () => {
  for (const [code, { event, title, forMs }] of Object.entries(conditions)) {
    assert.ok(alertEvents.includes(event), code);
    assert.match(title, /^\S.*[^.]$/, code);
    assert.ok(Number.isSafeInteger(forMs), code);
  }
});

test('each sentence is whole with the values that its schema describes', () => {
  for (const [code, { schema, sentence, note }] of foundConditions) {
    const values = exampleOf(schema as object) as object;
    assert.ok(Value.Check(schema, values), code);
    for (const said of [sentence(values), note?.sentence?.(values) ?? 'as the alert'])
      assert.doesNotMatch(said, /^$|undefined|\[object|NaN/, code);
  }
});

const alert = {
  id: 'alr_1',
  name: 'CertificateEndsSoon',
  subject: 'server.tls',
  event: 'certificate',
  severity: 'warning',
  summary: 'the TLS certificate expires in 13 days',
  raisedAt: 1_795_255_200_000,
} as unknown as AlertRecord;

test('an alert is shown with its condition', () => {
  const { condition } = alertView({ ...alert, values: { days: 13 } });
  assert.deepEqual(condition, { code: 'CertificateEndsSoon', values: { days: 13 } });
});

test('an alert that another version told with other values, or that is none, is shown with its sentence alone', () => {
  assert.equal(alertView(alert).condition, null);
  assert.equal(alertView({ ...alert, values: { weeks: 2 } }).condition, null);
  assert.equal(alertView({ ...alert, name: 'Test', values: { days: 13 } }).condition, null);
  assert.equal(alertView(alert).summary, alert.summary);
});
