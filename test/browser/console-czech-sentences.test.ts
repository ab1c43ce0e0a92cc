import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FoundConditionSchema } from '../../src/conditions/schema.ts';
import { exampleOf } from '../../src/contract/schema-parts.ts';
import { Overload } from '../../src/http/overload.ts';
import { ProblemDetailSchema } from '../../src/management/problem-details.ts';
import { SourceChangeSchema } from '../../src/management/source-reload.ts';
import { StepCodeSchema } from '../../src/operator/price.ts';
import { RateFaultSchema } from '../../src/operator/rate.ts';
import { FindingCodeSchema, findingCode } from '../../src/operator/record.ts';
import { ConcernCodeSchema } from '../../src/operator/term-effect.ts';
import type { StoreErrorCode } from '../../src/store/store-error.ts';
import { conditions } from '../../web/console/czech/conditions.ts';
import { problemDetails } from '../../web/console/czech/problems.ts';
import { rateFaults } from '../../web/console/czech/rates.ts';
import { priceSteps, recordFindings, sourceChanges, termConcerns } from '../../web/console/czech/said.ts';
import { storeErrors, storeErrorText } from '../../web/console/czech/store-errors.ts';
import { auditText } from '../../web/console/format/audit.ts';
import { saidText } from '../../web/console/format/said.ts';
import type { AuditEntry, FoundCondition, RecordFindingCode } from '../../web/generated/management-v1.d.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { everyStoreError } from '../support/store-errors.ts';

interface Coded {
  readonly code: string;
  readonly values: object;
}

type Words = Readonly<Record<string, (values: object) => string | undefined>>;

/** An example of each code of a schema. */
function examplesOf(schema: unknown): Coded[] {
  const { anyOf } = schema as { readonly anyOf: readonly object[] };
  return anyOf.map((each) => exampleOf(each, (reference) => reference) as Coded);
}

/** Nothing is left out, and nothing is shown as a program writes it. */
const isWhole = (text: string | undefined) =>
  text !== undefined && text !== '' && !/undefined|null|\[object/.test(text);

describe('a sentence in Czech', () => {
  for (const [what, schema, words] of [
    ['a condition', FoundConditionSchema, conditions],
    ['the detail of a problem', ProblemDetailSchema, problemDetails],
    ['a step of a price', StepCodeSchema, priceSteps],
    ['a concern of a term', ConcernCodeSchema, termConcerns],
    ['a finding of the record', FindingCodeSchema, recordFindings],
    ['a change of the sources', SourceChangeSchema, sourceChanges],
    ['a reading without a rate', RateFaultSchema, rateFaults],
  ] as const) {
    test(`of ${what} is made for every code that the service documents, with its values`, () => {
      const examples = examplesOf(schema);
      assert.deepEqual(examples.map(({ code }) => code).toSorted(), Object.keys(words).toSorted());
      for (const { code, values } of examples) assert.ok(isWhole((words as Words)[code]?.(values)), code);
    });
  }

  test('of a condition says what it names, in Czech words, with a comma in decimals', () => {
    const said = (found: FoundCondition) => saidText('English', found, conditions, 'cs');
    assert.equal(said({ code: 'StatusChanged', values: { ticker: 'outage' } }), 'tržní data: výpadek');
    const unpriced: FoundCondition = { code: 'MarketsWithoutPrice', values: { count: 3, reason: 'no_rate' } };
    assert.equal(said(unpriced), 'obchodované trhy bez ceny: 3 (bez kurzu)');
    const others = [{ source: 'bitvavo', markets: 56 }];
    const lost: FoundCondition = { code: 'SourceLost', values: { source: 'kraken', seconds: 40, others } };
    assert.equal(said(lost), 'kraken: bez spojení 40 s; trhy na bitvavo: 56');
    const fee = { code: 'fee', values: { sign: '+', percent: '0.5' } } as const;
    assert.equal(saidText('English', fee, priceSteps, 'cs'), '× (1 + poplatek 0,5 %)');
  });

  test('of what has no code, or one that the console does not know, is the English of the service', () => {
    assert.equal(saidText('As it was told.', null, conditions, 'cs'), 'As it was told.');
    const unknown = { code: 'OfTomorrow', values: {} } as never;
    assert.equal(saidText('Of tomorrow.', unknown, conditions, 'cs'), 'Of tomorrow.');
    const of = { code: 'store', values: { code: 'copy_refused.empty', values: {} } } as const;
    assert.equal(saidText('Of the store.', of, problemDetails, 'cs'), 'Of the store.');
  });

  test('of an overload has its figures', () => {
    const pressure = { busyShare: 0.97, eventLoopDelayMs: 400, heapShare: 0.5, unsentBytes: 0 };
    const bounds = { eventLoopDelayMs: 100, heapShare: 0.9, unsentBytes: 2 ** 20 };
    const clock = new FakeClock();
    const log = { warn() {} } as never;
    const overload = new Overload(clock, { pressure: () => pressure, bounds, log, markEstablished() {} });
    clock.advance(250);
    const { cause } = overload;
    const found: FoundCondition = {
      code: 'RequestsShed',
      values: { overload: { ...cause!, late: cause!.late ?? null } },
    };
    const czech =
      'přetížení: obsluhující vlákno je vytížené na 97 % (mez 90 %) a opožděné o 400 ms (mez 100 ms); odmítají se požadavky bez klíče';
    assert.equal(saidText(overload.note ?? '', found, conditions, 'cs'), czech);
    overload.stop();
  });

  test('of a finding of the record says where it is', () => {
    const about = { kind: 'entry', number: 3, of: 'seal' } as const;
    const found = [
      { chain: 1, number: 4711, what: 'changed' },
      { chain: 1, number: 2, what: 'cut_off', day: '2026-11-20' },
      { chain: 1, number: 3, what: 'damaged', chunk: 2 },
      { what: 'moved' },
      { about, subject: 'entry 3 of the ledger (seal)', what: 'missing' },
      { about: { kind: 'run', number: 7 }, subject: 'run 7', what: 'unsealed' },
    ] as const;
    assert.deepEqual(
      found.map((finding) => saidText('English', findingCode(finding) as RecordFindingCode, recordFindings, 'cs')),
      [
        'řetězec 1, segment 4711: změněno',
        '2026-11-20: řetězec 1, segment 2: odříznuto, řetězec končí před ním',
        'řetězec 1, segment 3: poškozeno, část 2',
        'jeho soubor nebo databáze byla přesunuta nebo vyměněna',
        'zápis 3 v knize (seal): chybí',
        'běh 7: nezapečetěno',
      ],
    );
  });

  test('of a refusal of the store is there wherever a page can show it, with each of its values', () => {
    const shown =
      /^(?:email|account|key|label|expiry|limit|overlap|market|window|term|notice|token)_|^(?:locked|unreachable|no_answer|disk_full|unwritable)/;
    const codes = (Object.keys(everyStoreError) as StoreErrorCode[]).filter((code) => shown.test(code));
    assert.ok(codes.length > 40);
    for (const code of codes) assert.ok(code in storeErrors, code);
    for (const { code, values } of Object.values(everyStoreError)) {
      if (!(code in storeErrors)) continue;
      const text = storeErrorText(code, values);
      assert.ok(isWhole(text), `${code}: ${text}`);
      for (const value of Object.values(values))
        if (typeof value === 'string' && /^q\w+$/.test(value) && code !== 'term_value')
          assert.ok(text?.includes(value), `${code}: ${value}`);
    }
  });
});

describe('an entry of the audit log in Czech', () => {
  const entry = (action: AuditEntry['action'], id: string, details: AuditEntry['details']): AuditEntry => {
    const subject = { kind: 'key', id } as const;
    return { id: 'aud_1', at: '', atMs: 0, actor: 'alice', action, subject, summary: 'As it was recorded.', details };
  };
  const said = (...of: Parameters<typeof entry>) => auditText(entry(...of), 'cs');

  test('is made from what the entry records', () => {
    const key = { email: 'bot@example.com', lastFour: 'x7Qa', label: 'bot' };
    assert.equal(said('key.create', 'key_1', key), 'Vytvořen klíč pro bot@example.com („bot“).');
    assert.equal(
      said('key.revoke', 'key_1', { ...key, label: '' }),
      'Zneplatněn klíč končící na x7Qa, bot@example.com.',
    );
    assert.equal(said('market.pause', 'all', { count: 12 }), 'Pozastaveno obchodování všech trhů; změněných: 12.');
    assert.equal(said('market.pause', 'BTCEUR', {}), 'Pozastaveno obchodování BTCEUR.');
    const term = { fromMs: 1_795_255_200_000, subject: 'BTCCZK', feePercent: '0.5', rounding: 'nearest' };
    assert.match(
      said('term.set', 'trm_1', term),
      /^Nastaveno pro BTCCZK od .*: poplatek 0,5, zaokrouhlení k nejbližší\.$/,
    );
    const reload = { changeCodes: [{ code: 'paused', values: { source: 'kraken' } }] };
    assert.equal(said('sources.reload', 'sources', reload), 'Znovu načteny zdroje: pozastaven kraken.');
    const refused = { address: '192.0.2.1', purpose: 'sign-in' };
    assert.equal(said('session.refuse', 'sign-in', refused), 'Odmítnuto z 192.0.2.1: chybný token.');
    assert.equal(said('session.refuse', 'tok_1', refused), 'Odmítnuto z 192.0.2.1: token, který už neplatí.');
  });

  test('is the recorded English where an older version noted too little, or did what is not known here', () => {
    for (const action of ['key.create', 'account.erase', 'window.extend', 'market.delist', 'history.hold'] as const)
      assert.equal(said(action, 'id', {}), 'As it was recorded.', action);
    assert.equal(said('market.pause', 'all', {}), 'As it was recorded.');
    assert.equal(said('of.tomorrow' as never, 'id', {}), 'As it was recorded.');
  });

  test('is not asked for where the page is in English', () => {
    assert.equal(auditText(entry('session.end', 'ses_1', {}), 'en'), 'As it was recorded.');
  });
});
