import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { daySealer } from '../history/record/day-seals.ts';
import { openSqliteSegments } from '../history/segment/sqlite-segments.ts';
import { operator, requestId } from './history.testing.ts';

describe('the proof of an answer', () => {
  it('proves an answer in a file for its owner alone, and as a page with the same proof inside', async (t) => {
    const { mdapi, json, cwd, key, clock, path } = await operator(t);
    const file = join(cwd, 'proof.json');
    const early = await mdapi('history', 'prove', requestId, '--out', file);
    assert.match(early.stdout, /proof\.json, with no seal yet: there is after 2026-11-22T00:00:00\.000Z\.\n$/);
    const text = readFileSync(file, 'utf8');
    const proof = JSON.parse(text);
    assert.deepEqual([statSync(file).mode & 0o777, proof.answer.keyId, proof.prices.length], [0o600, key.id, 1]);
    const again = await mdapi('history', 'prove', requestId, '--out', file);
    assert.deepEqual([again.exitCode, readFileSync(file, 'utf8')], [1, text], 'what is there stays');
    assert.match(again.stderr, /There is .*proof\.json already, and it stays as it is\. Name another with --out\./);
    const store = openSqliteSegments(path);
    const sealDay = await daySealer(store, 1, clock.now());
    const { head } = (await sealDay((clock.now() + 86_400_000) as EpochMs, (await store.head(1))!))!;
    await store.addEntry('stamp', { day: '2026-11-21', head, response: 'c3RhbXA=' });
    await store.close();
    writeFileSync(join(cwd, 'mdapi.yaml'), 'timeZone: Europe/Prague\n');
    const made = await json<{ file: string; head: string; seal: object }>(
      ...['history', 'evidence', requestId, '--out', 'evidence.html'],
    );
    assert.deepEqual([made.head, made.seal], [head, { day: '2026-11-21', due: null }]);
    const page = readFileSync(made.file, 'utf8');
    const [, inside = ''] = /base64,([^"]+)"/.exec(page)!;
    const { timestamp, ...proved } = JSON.parse(Buffer.from(inside, 'base64').toString());
    assert.deepEqual([timestamp, proved.head, proved.answer], ['c3RhbXA=', head, proof.answer]);
    for (const shown of [head, '21 November 2026 at 11:00:00 CET', '+01:00[Europe/Prague]', '84631.2'])
      assert.ok(page.includes(shown), shown);
    assert.doesNotMatch(page, /undefined/);
    const unknown = await mdapi('history', 'prove', 'f'.repeat(32), '--out', 'other.json');
    assert.equal(unknown.exitCode, 4, unknown.stderr);
  });

  it('makes no proof of a record that is not as it was written', async (t) => {
    const { mdapi, path, cwd } = await operator(t);
    for (const column of ['previous', 'root']) {
      const { changes } = damage(path, column);
      assert.equal(changes, 1);
      const { exitCode, stderr } = await mdapi('history', 'prove', requestId, '--out', 'proof.json');
      assert.deepEqual([exitCode, existsSync(join(cwd, 'proof.json'))], [1, false]);
      assert.match(stderr, /The record is not as it was written: `mdapi history verify` names where/);
      damage(path, column);
    }
    assert.equal((await mdapi('history', 'prove', requestId, '--out', 'proof.json')).exitCode, 0, 'mended again');
  });

  it('reads an instant without an offset in the configured time zone, and says so', async (t) => {
    const { mdapi, cwd } = await operator(t);
    const asked = ['history', 'quotes', 'BTCEUR', '--from', '2026-11-21T10:00'] as const;
    assert.match((await mdapi(...asked)).stderr, /has no time zone; .* or set timeZone/);
    writeFileSync(join(cwd, 'mdapi.yaml'), 'timeZone: Europe/Prague\n');
    const { stderr, stdout } = await mdapi(...asked);
    assert.match(stderr, /^--from: 2026-11-21T10:00:00\+01:00\[Europe\/Prague\]\n/);
    assert.match(stdout, /84631\.2/);
    const skipped = await mdapi('history', 'quotes', 'BTCEUR', '--from', '2026-03-29T02:30');
    assert.deepEqual([skipped.exitCode, /never or twice/.test(skipped.stderr)], [2, true]);
  });
});

/** Turns a hash of the segment with the answers round by its halves; a second time turns it back. */
function damage(path: string, column: string) {
  using database = new DatabaseSync(path);
  const turned = `cast(substr(${column}, 17) || substr(${column}, 1, 16) as blob)`;
  return database.prepare(`update segment set ${column} = ${turned} where kind = 'servings'`).run();
}
