import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanings as ofPostgres } from './postgres/errors.ts';
import { meanings as ofSqlite } from './sqlite/errors.ts';
import { StoreError } from './store-error.ts';

test('every meaning of an error of an engine has a reason that lies in the engine, and each code has one meaning', () => {
  for (const { code } of [...ofSqlite, ...ofPostgres]) {
    assert.ok(new StoreError(code, { path: '', name: '' }, '').isEngineFailure, code);
  }
  const resultCodes = ofSqlite.flatMap((each) => each.resultCodes);
  const serverCodes = ofPostgres.flatMap((each) => each.serverCodes);
  for (const codes of [resultCodes, serverCodes]) assert.equal(new Set<unknown>(codes).size, codes.length);
});
