import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operator, requestId } from './history.testing.ts';

describe('mdapi store copy', () => {
  it('moves the record with the store, and the record is whole where it comes to', async (t) => {
    const { mdapi, json, cwd } = await operator(t);
    const before = await json<{ body: string }>('history', 'answer', requestId);
    const target = ['--to', 'sqlite:moved.sqlite', '--record-to', 'sqlite:moved-history.sqlite'];
    const moved = await mdapi('store', 'copy', ...target);
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.match(moved.stderr, /`history\.url`: to that of the record, which was verified/);
    writeFileSync(
      join(cwd, 'moved.yaml'),
      'store: sqlite:./moved.sqlite\nhistory: { url: "sqlite:./moved-history.sqlite" }\n',
    );
    const there = ['--config', 'moved.yaml'];
    assert.deepEqual(await json('history', 'answer', requestId, ...there), before);
    assert.equal((await mdapi('history', 'verify', ...there)).exitCode, 0);
    assert.match((await mdapi('store', 'copy', ...target)).stderr, /complete already/);
  });

  it('copies no record over another, and says so', async (t) => {
    const { mdapi, cwd } = await operator(t);
    const other = await operator(t);
    const { exitCode, stderr } = await mdapi(
      ...['store', 'copy', '--to', 'sqlite:moved.sqlite', '--record-to', `sqlite:${other.path}`],
    );
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /The target has a record of its own/);
    assert.ok(existsSync(join(cwd, 'history.sqlite')));
  });
});
