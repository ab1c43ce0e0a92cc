import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { noProofTexts } from '../../src/history/query/prove.ts';
import { Overload } from '../../src/http/overload.ts';
import { frameworkProblems } from '../../src/management/problems.ts';
import { doubtWhys } from '../../src/operator/doubt.ts';
import { findingText } from '../../src/operator/record.ts';
import { meanings as postgresErrors } from '../../src/store/postgres/errors.ts';
import { meanings as sqliteErrors } from '../../src/store/sqlite/errors.ts';
import { counts } from '../../web/console/czech/counts.ts';
import { sentences } from '../../web/console/czech/service.ts';
import { czech } from '../../web/console/czech/texts.ts';
import { words } from '../../web/console/czech/words.ts';
import { grouped, typedDecimal } from '../../web/console/format/decimal.ts';
import { serviceText } from '../../web/console/format/sentences.ts';
import { type Noun, nounFor } from '../../web/console/language.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { everyStoreError } from '../support/store-errors.ts';

const folder = fileURLToPath(new URL('../../web/console/', import.meta.url));

/** The sources of the console without its tables. */
function sources(): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((name) => name.endsWith('.ts') && !name.startsWith('czech'));
  return scripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

const marksOf = (text: string) => [...text.matchAll(/\{\w+\}|<\/?\w+>/g)].map(String).sort();

describe('the console in Czech', () => {
  test('stands for the same values and elements as in English', () => {
    for (const [english, text] of Object.entries(czech)) assert.deepEqual(marksOf(text), marksOf(english), english);
  });

  test('holds no text that no page shows', () => {
    const code = sources().replaceAll("\\'", "'");
    const unused = Object.keys({ ...czech, ...counts }).filter(
      (english) => !code.includes(`'${english}'`) && !code.includes(`"${english}"`),
    );
    assert.deepEqual(unused, []);
  });

  test('says each text on one page of its table', async () => {
    const pages = readdirSync(join(folder, 'czech/texts'));
    const tables = await Promise.all(pages.map((page) => import(join(folder, 'czech/texts', page))));
    const texts = tables.flatMap((table: Readonly<Record<string, object>>) =>
      Object.values(table).flatMap(Object.keys),
    );
    assert.deepEqual(texts.sort(), Object.keys(czech).sort());
  });

  test('names one, two to four, and more by their own forms', () => {
    const formsOf = (noun: Noun) => [0, 1, 2, 4, 5, 22].map((count) => nounFor(count, noun, 'cs'));
    assert.deepEqual(formsOf('market'), ['trhů', 'trh', 'trhy', 'trhy', 'trhů', 'trhů']);
    assert.deepEqual(
      [1, 3, 7].map((count) => nounFor(count, 'request refused', 'cs')),
      ['dotaz odmítnut', 'dotazy odmítnuty', 'dotazů odmítnuto'],
    );
    assert.deepEqual(
      [1, 2].map((count) => nounFor(count, 'market', 'en')),
      ['market', 'markets'],
    );
  });

  test('shows a decimal with a comma and every digit, and takes one typed so', () => {
    const long = '1234567890123456789.000000000000000001';
    assert.equal(grouped(long, 'cs').replaceAll('\u00a0', '').replace(',', '.'), long);
    assert.equal(grouped('-1234.50', 'cs'), '−1\u00a0234,50');
    assert.deepEqual(['0,4', ' 0.4 ', '-1,25', '1,234.5', '0,', 'inherit'].map(typedDecimal), [
      '0.4',
      '0.4',
      '-1.25',
      '1,234.5',
      '0,',
      'inherit',
    ]);
  });
});

describe('a sentence of the service', () => {
  test('has its own Czech, none taken for a wider one', () => {
    for (const [english, text] of Object.entries(sentences)) {
      const filled = (sentence: string) => sentence.replaceAll(/\{(\w+)\}/g, 'q$1');
      assert.equal(serviceText(filled(english), 'cs'), filled(text), english);
      const names = (sentence: string) => new Set(sentence.match(/\{\w+\}/g));
      for (const name of names(text)) assert.ok(names(english).has(name), `${english}: ${name}`);
    }
  });

  test('is translated with what it names, its decimals and its instants', () => {
    const cases = [
      ['market data: outage', 'tržní data: výpadek'],
      ['3 traded markets have no price: no_rate', 'obchodované trhy bez ceny: 3 (bez kurzu)'],
      ['kraken: no connection for 40 s; 56 markets on bitvavo', 'kraken: bez spojení 40 s; trhy na bitvavo: 56'],
      ['× (1 + fee 0.5 %)', '× (1 + poplatek 0,5 %)'],
      ['Set for BTCCZK from qx: fee 0.5, rounding nearest.', 'Nastaveno pro BTCCZK od qx: fee 0,5, rounding nearest.'],
      ['The log has no such sentence 1.5.', 'The log has no such sentence 1.5.'],
    ] as const;
    for (const [english, text] of cases) assert.equal(serviceText(english, 'cs'), text);
    assert.doesNotMatch(serviceText('Announced the maintenance from 2026-11-22T10:00:00.000Z to qto.', 'cs'), /T10/);
  });

  test('has Czech wherever a table of the service holds it and the console shows it', () => {
    const shown =
      /^(?:email|account|key|label|expiry|limit|overlap|market|window|term(?!_value)|notice|token)_|^no_answer\.hanging$|^read_only\.standby$/;
    const refusals = Object.values(everyStoreError).flatMap(({ code, message }) => (shown.test(code) ? [message] : []));
    const server = postgresErrors.map(({ finding }) => `The database {name} ${finding}`);
    const file = sqliteErrors.map(({ message }) => message('{name}'));
    const taken = Object.values(frameworkProblems).map(({ detail }) => detail);
    const proofs = [...Object.values(noProofTexts), ...Object.values(doubtWhys)];
    assert.ok(refusals.length > 30);
    for (const text of [...refusals, ...server, ...file, ...taken, ...proofs]) {
      const said = text.replaceAll(/\{(\w+)\}/g, 'q$1');
      assert.notEqual(serviceText(said, 'cs'), said);
    }
  });

  test('has Czech for what is found in the record, and for an overload, with what they name', () => {
    const found = [
      { chain: 1, number: 4711, what: 'changed' },
      { chain: 1, number: 2, what: 'cut_off', day: '2026-11-20' },
      { chain: 1, number: 3, what: 'damaged', chunk: 2 },
      { what: 'moved' },
      { subject: 'entry 3 of the ledger (seal)', what: 'missing' },
      { subject: 'run 7', what: 'unsealed' },
    ] as const;
    const texts = found.map((finding) => serviceText(findingText(finding as never)!, 'cs'));
    assert.deepEqual(texts, [
      'řetězec 1, segment 4711: změněno',
      '2026-11-20: řetězec 1, segment 2: odříznuto, řetězec končí před ním',
      'řetězec 1, segment 3: poškozeno, část 2',
      'jeho soubor nebo databáze byla přesunuta nebo vyměněna',
      'zápis 3 v knize (seal): chybí',
      'běh 7: nezapečetěno',
    ]);
    const pressure = { busyShare: 0.97, eventLoopDelayMs: 400, heapShare: 0.5, unsentBytes: 0 };
    const bounds = { eventLoopDelayMs: 100, heapShare: 0.9, unsentBytes: 2 ** 20 };
    const clock = new FakeClock();
    const log = { warn() {} } as never;
    const overload = new Overload(clock, { pressure: () => pressure, bounds, log, markEstablished() {} });
    clock.advance(250);
    const czech =
      'přetížení: obsluhující vlákno je vytížené na 97 % (mez 90 %) a opožděné o 400 ms (mez 100 ms); odmítají se požadavky bez klíče';
    assert.equal(serviceText(overload.note ?? '', 'cs'), czech);
    overload.stop();
  });

  test('names no state without a word', () => {
    const known = new Set(Object.keys(words));
    const source = readFileSync(join(folder, 'format/words.ts'), 'utf8');
    const [, tones = ''] = /const tones[^{]*\{([^}]*)\}/.exec(source) ?? [];
    for (const [, name = ''] of tones.matchAll(/(\w+): '/g))
      assert.ok(known.has(name.replaceAll('_', ' ')), `${name} has no Czech`);
  });
});
