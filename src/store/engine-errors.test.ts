import assert from 'node:assert/strict';
import { test } from 'node:test';
import ofPostgres from './postgres/errors.json' with { type: 'json' };
import ofSqlite from './sqlite/errors.json' with { type: 'json' };
import { StoreError, type StoreErrorReason } from './store-error.ts';

test('every meaning of an error of an engine has a reason that lies in the engine, and each code has one meaning', () => {
  for (const meanings of [ofSqlite, ofPostgres]) {
    for (const { reason } of meanings) {
      assert.ok(new StoreError(reason as StoreErrorReason, '').isEngineFailure, reason);
    }
    const codes = meanings.flatMap((each): readonly (string | number)[] => each.codes);
    assert.equal(new Set(codes).size, codes.length);
  }
});
