import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { breachMail, sampleFigures } from './notice-mail.ts';

const place = { baseUrl: 'https://api.example.com', atMostEveryMs: 5_400_000, language: 'en' } as const;
const figures = sampleFigures(Date.parse('2026-11-21T10:04:30Z') as EpochMs, 60);

test('a mail names the operator, where it has a name, and the limits in the language of the holder', () => {
  const english = breachMail(figures, { ...place, name: 'Example Exchange' });
  assert.match(english.text, /^This is about your API key "trading bot" ending in x7Qa for Example Exchange \(https/m);
  const czech = breachMail(figures, place, 'cs');
  assert.equal(czech.subject, 'API klíč „trading bot“ s koncovkou x7Qa překračuje svůj limit 60 požadavků za minutu');
  assert.match(czech.text, /^píšeme vám kvůli vašemu API klíči „trading bot“ s koncovkou x7Qa pro https:\/\/api/m);
  assert.ok(czech.text.includes('https://api.example.com/cs/docs#limits'));
  assert.match(czech.html, /^<!doctype html>\n<html lang="cs">/);
  assert.match(breachMail(figures, { ...place, language: 'cs' }).text, /^Dobrý den,/);
});

test('what is counted has the form of its number', () => {
  const minutes = [1, 2, 5].map((refused) => ({ startMs: figures.firstMinuteMs, refused }));
  const few = { ...figures, minutes, breachedMinutes: 4, requestsRefused: 2 };
  const czech = breachMail(few, place, 'cs').text;
  const forms = [
    /odmítnut 1 požadavek$/m,
    /odmítnuty 2 požadavky$/m,
    /odmítnuto 5 požadavků$/m,
    /a 1 dřívější minuta$/m,
  ];
  for (const form of [...forms, /byly 2 požadavky odmítnuty \(stav 429\) ve 4 minutách mezi/, /za 90 minut\.$/m])
    assert.match(czech, form);
  const english = breachMail({ ...few, requestsRefused: 1 }, place).text;
  for (const form of [
    /1 request refused$/m,
    /2 requests refused$/m,
    /1 request with it was refused/,
    /in 90 minutes\.$/m,
  ])
    assert.match(english, form);
});

test('a label or a name that looks like a place for a value is only a text', () => {
  const { text } = breachMail({ ...figures, label: '{baseUrl} {key}' }, { ...place, name: 'Ltd. {count}\r\nBcc: x' });
  assert.ok(text.includes('your API key "{baseUrl} {key}" ending in x7Qa for Ltd. {count} Bcc: x (https'));
});

test('the minutes of a mail are in the zone of the operator, by its name in the language of the holder', () => {
  const prague = { ...place, timeZone: 'Europe/Prague' };
  const { text } = breachMail(figures, prague);
  assert.match(text, /between 2026-11-21 10:51 CET and 2026-11-21 11:04 CET/);
  assert.doesNotMatch(text, /UTC/);
  assert.match(breachMail(figures, prague, 'cs').text, /2026-11-21 10:51 SEČ/);
  assert.match(breachMail(figures, place).text, /between 2026-11-21 09:51 UTC and/);
});
