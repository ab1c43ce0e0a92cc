import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvOf, foldsOf } from '../../web/console/pages/audit-folds.ts';
import type { AuditEntry } from '../../web/generated/management-v1.d.ts';

function entry(atMs: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: `aud_${atMs}`,
    at: new Date(atMs).toISOString(),
    atMs,
    actor: 'alice',
    action: 'key.create',
    subject: { kind: 'key', id: `key_${atMs}` },
    summary: 'Made a key.',
    details: {},
    ...more,
  } as AuditEntry;
}

const sizesOf = (entries: readonly AuditEntry[]) => foldsOf(entries).map(({ entries: { length } }) => length);

describe('the audit log', () => {
  const bulk = [9, 8, 7, 6].map((second) => entry(second * 1_000));

  test('folds what one operator created one after the other, and nothing else', () => {
    assert.deepEqual(sizesOf(bulk), [4]);
    assert.deepEqual(sizesOf(bulk.slice(1)), [1, 1, 1]);
    assert.deepEqual(sizesOf(bulk.map((each) => ({ ...each, action: 'key.revoke' }))), [1, 1, 1, 1]);
    assert.deepEqual(sizesOf([...bulk, entry(5_000, { actor: 'bob' }), entry(4_000)]), [4, 1, 1]);
    assert.deepEqual(sizesOf([entry(100_000), ...bulk]), [1, 4]);
    assert.deepEqual(foldsOf([]), []);
  });

  test('is saved as CSV with every field whole, and no cell that a spreadsheet runs', () => {
    const rows = csvOf([
      entry(0, { summary: 'Made "a", b.\nNext', details: { label: 'x' } }),
      entry(1, { actor: '=1+1', summary: '@x' }),
    ]).split('\r\n');
    assert.deepEqual(rows, [
      'at,actor,action,subjectKind,subject,summary,details',
      '1970-01-01T00:00:00.000Z,alice,key.create,key,key_0,"Made ""a"", b.\nNext","{""label"":""x""}"',
      "1970-01-01T00:00:00.001Z,'=1+1,key.create,key,key_1,'@x,{}",
      '',
    ]);
  });
});
