import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { systemRandomness } from '../ground/clock.ts';
import { recordHeads } from '../operator/record-heads.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, runInside } from './cli.testing.ts';
import { operator, recordAnswer, requestId } from './history.testing.ts';

const from = '2026-11-21T09:00Z';

describe('the record', () => {
  it('shows what was quoted of a market, and what a key was answered', async (t) => {
    const { mdapi, json, key } = await operator(t);
    const { quotes, next } = await json<{ quotes: { buyPrice: string; bid: string }[]; next: null }>(
      ...['history', 'quotes', 'btceur', '--from', from],
    );
    assert.deepEqual([quotes.map(({ bid, buyPrice }) => [bid, buyPrice]), next], [[['84209.9', '84631.2']], null]);
    const shown = await mdapi('history', 'quotes', 'BTCEUR', '--from', from);
    assert.match(shown.stdout, /^PUBLISHED +BUY +SELL +BID +ASK +SOURCE +CAPTURED\n.+ 84631\.2 +83788\.8 +84209\.9 /);
    for (const named of [key.id, key.lastFour, `mdk_…${key.lastFour}`]) {
      const served = await json<{ keyId: string; answers: object[] }>(
        ...['history', 'served', '--key', named, '--from', from],
      );
      assert.equal(served.keyId, key.id, named);
      assert.deepEqual(
        served.answers.map((answer) => ({ ...answer, position: '', at: '', atMs: 0 })),
        [
          {
            requestId,
            position: '',
            at: '',
            atMs: 0,
            keyId: key.id,
            route: '/v1/ticker',
            status: 200,
            symbol: 'BTCEUR',
            code: null,
          },
        ],
      );
    }
  });

  it('builds an answer again from its request id, in any case, with the segment that proves it', async (t) => {
    const { mdapi, json, key } = await operator(t);
    const { answer, body, segment } = await json<{
      answer: { keyId: string };
      body: string;
      segment: { chain: number; hash: string };
    }>('history', 'answer', requestId.toUpperCase());
    assert.equal(answer.keyId, key.id);
    assert.equal(JSON.parse(body).buyPrice, '84631.2');
    assert.match(segment.hash, /^[0-9a-f]{64}$/);
    const shown = await mdapi('history', 'answer', requestId);
    assert.ok(shown.stdout.includes(body) && shown.stdout.includes(segment.hash), shown.stdout);
  });

  it('explains a price of then with what the operator held of it', async (t) => {
    const { json } = await operator(t);
    const heldAt = async (at: string) => {
      const { held } = await json<{ held: { subject: string; reason: string }[] }>('price', 'BTCCZK', '--at', at);
      return held.map(({ subject, reason }) => [subject, reason]);
    };
    assert.deepEqual(await heldAt('2026-11-21T10:00:00.500Z'), []);
    assert.deepEqual(await heldAt('2026-11-21T10:00:01.500Z'), [['BTCEUR', 'operator']]);
    assert.deepEqual(await heldAt('2026-11-21T10:00:02Z'), []);
  });

  it('is verified, and a changed byte is named with the exit code of a failure', async (t) => {
    const { mdapi, json, path } = await operator(t);
    const whole = await json<{ whole: boolean; segments: number; gaps: object[] }>('history', 'verify');
    assert.deepEqual([whole.whole, whole.segments > 2, whole.gaps.length], [true, true, 1]);
    const database = new DatabaseSync(path);
    database.exec("update chunk set data = x'00' where id = (select place from segment where number = 2)");
    database.close();
    const { exitCode, stdout } = await mdapi('history', 'verify');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^Record +chain 1, segment 2: changed$/m);
  });

  it('is compared with seals as they were logged, mailed or noted, and the first day that differs is named', async (t) => {
    const { mdapi, json, path, cwd } = await operator(t);
    using database = new DatabaseSync(path);
    const hashOf = (number: number) =>
      Buffer.from(
        database.prepare('select hash from segment where number = ?').get(number)!.hash as Uint8Array,
      ).toString('hex');
    const logged = (day: string, segment: number, head: string) =>
      `{"level":30,"time":1,"day":"${day}","chain":1,"segment":${segment},"head":"${head}","msg":"the record"}\n`;
    const mail = `Subject: Record of 2026-11-20: segment 2 of chain 1\r\n\r\nThe record ends.\r\n\r\n${hashOf(2)}\r\n--\r\n`;
    const right = ['{"level":30,"msg":"another line"}\n', logged('2026-11-19', 1, hashOf(1)), mail];
    const file = join(cwd, 'seals');
    writeFileSync(file, `${right.join('')}2026-11-21 1 3 ${hashOf(3)}\n`);
    const agreeing = await mdapi('history', 'verify', '--seals', 'seals');
    assert.equal(agreeing.exitCode, 0, agreeing.stdout);
    assert.match(agreeing.stdout, /^Seals +3 agree$/m);
    const forged = 'c0ffee'.repeat(11).slice(0, 64);
    writeFileSync(file, `${logged('2026-11-23', 3, forged)}${logged('2026-11-22', 3, forged)}${right.join('')}`);
    const differing = await mdapi('history', 'verify', '--seals', 'seals');
    assert.equal(differing.exitCode, 1);
    assert.match(differing.stdout, /^Seals +2026-11-22: chain 1, segment 3: exchanged$/m);
    writeFileSync(file, logged('2026-11-22', 900, forged));
    assert.match((await mdapi('history', 'verify', '--seals', 'seals')).stdout, /2026-11-22: .* 900: cut off/);
    for (const none of ['none', 'history.sqlite']) {
      const { exitCode, stderr } = await mdapi('history', 'verify', '--seals', none);
      assert.equal(exitCode, 2);
      assert.match(stderr, /There is no seal in/);
    }
    assert.equal((await json<{ seals: null }>('history', 'verify')).seals, null);
  });

  it('is compared with the end that the store keeps, until an operator accepts another', async (t) => {
    const { cwd, clock, mdapi, json } = await operator(t);
    const store = await openStore({ url: `sqlite:${join(cwd, 'mdapi.sqlite')}`, clock, randomness: systemRandomness });
    await recordHeads(store.snapshots).keep([{ chain: 1, number: 900, hash: 'ab' }]);
    const { exitCode, stdout } = await mdapi('history', 'verify');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^Record +chain 1, segment 900: cut off, the chain ends before it$/m);
    assert.equal((await json<{ whole: boolean }>('history', 'verify', '--accept')).whole, true);
    assert.equal((await mdapi('history', 'verify')).exitCode, 0);
    const [entry] = (await store.audit.page({ limit: 1 })).items;
    assert.equal(entry?.action, 'history.accept');
    await store.close();
  });

  it('names the chunk that is damaged, whatever it became, wherever it is read', async (t) => {
    const { mdapi, path } = await operator(t);
    const places = 'select place from segment where kind';
    const damages = [
      [`update chunk set data = 'text' where id in (${places} = 'breaks')`, 'breaks'],
      [`update chunk set data = x'00' where id in (${places} = 'quotes')`, 'quotes'],
      [`delete from chunk where id in (${places} = 'quotes')`, 'quotes'],
    ] as const;
    const argvOf = { quotes: ['--from', from], breaks: ['--at', '2026-11-21T10:00:01Z'] };
    for (const [damage, kind] of damages) {
      using database = new DatabaseSync(path);
      const { number, place } = database.prepare('select number, place from segment where kind = ?').get(kind)!;
      const { data } = database.prepare('select data from chunk where id = ?').get(place!)!;
      database.exec(damage);
      const verified = await mdapi('history', 'verify');
      const found = damage.includes("x'00'") ? 'changed' : `damaged, chunk ${place}`;
      assert.equal(verified.exitCode, 1);
      assert.match(verified.stdout, new RegExp(`^Record +chain 1, segment ${number}: ${found}$`, 'm'));
      const asked = await mdapi(...(kind === 'quotes' ? ['history', 'quotes'] : ['price']), 'BTCEUR', ...argvOf[kind]);
      assert.equal(asked.exitCode, 1);
      assert.match(asked.stderr, /^mdapi: .*damaged/);
      assert.doesNotMatch(asked.stderr, /\n {4}at /);
      database.prepare('insert or replace into chunk values (?, ?)').run(place!, data!);
    }
    assert.equal((await mdapi('history', 'verify')).exitCode, 0, 'repaired');
  });

  it('of another version is refused with a word on which of the two is older, and left as it is', async (t) => {
    const { mdapi, path } = await operator(t);
    const versions = [
      [99, /history\.sqlite was made by a newer version of this program \(form 99.*Install that version/],
      [1, /history\.sqlite was made by an older version of this program \(form 1.*Move it away/],
    ] as const;
    for (const [form, named] of versions) {
      using database = new DatabaseSync(path);
      database.exec(`pragma user_version = ${form}`);
      for (const argv of [['history', 'verify'], ['history', 'quotes', 'BTCEUR', '--from', from], ['check']]) {
        const { exitCode, stdout, stderr } = await mdapi(...argv);
        assert.equal(exitCode, 1, argv.join(' '));
        assert.match(`${stdout}${stderr}`, named);
        assert.doesNotMatch(stderr, /\n {4}at /);
      }
      assert.equal(database.prepare('pragma user_version').get()!.user_version, form);
    }
  });

  it('is held beyond its time and released, with a word in the audit log', async (t) => {
    const { mdapi, json } = await operator(t);
    const hold = await json<{ id: number; from: string; reason: string }>(
      ...['history', 'hold', '--from', from, '--reason', 'complaint 4711'],
    );
    assert.deepEqual([hold.id, hold.from, hold.reason], [1, '2026-11-21T09:00:00.000Z', 'complaint 4711']);
    assert.equal((await json<{ released: boolean }>('history', 'release', '1')).released, true);
    assert.equal((await mdapi('history', 'release', '1')).exitCode, 4, 'there is none any more');
  });

  it('is exported a file an hour, and complete files are left alone', async (t) => {
    const { mdapi, json, cwd } = await operator(t);
    for (const format of ['parquet', 'csv', 'ndjson']) {
      const span = ['--from', from, '--format', format, '--out', format];
      const { rows, files } = await json<{ rows: number; files: object[] }>('history', 'export', ...span);
      assert.deepEqual([rows, files.length], [2, 2], format);
      const again = await json<{ rows: number; skipped: number }>('history', 'export', ...span);
      assert.equal(again.skipped, 2, format);
    }
    const [, hour] = readdirSync(join(cwd, 'ndjson')).sort();
    const lines = readFileSync(join(cwd, 'ndjson', hour!), 'utf8')
      .trim()
      .split('\n');
    assert.deepEqual(
      lines
        .map((line) => JSON.parse(line))
        .map(({ symbol, buyPrice }) => [symbol, typeof buyPrice])
        .sort(),
      [
        ['BTCCZK', 'string'],
        ['BTCEUR', 'string'],
      ],
    );
    const one = await mdapi(
      'history',
      'export',
      '--from',
      from,
      '--format',
      'csv',
      '--out',
      'one',
      '--symbol',
      'btceur',
    );
    assert.match(one.stdout, /^2 files, 1 rows\./);
  });

  it('gives a key its own answers and nobody else’s, in files for their owner alone', async (t) => {
    const { mdapi, json, cwd, key, path, clock } = await operator(t);
    await recordAnswer(path, clock, 'key_another');
    const lines = (folder: string) =>
      readdirSync(join(cwd, folder)).flatMap((name) => {
        assert.equal(statSync(join(cwd, folder, name)).mode & 0o777, 0o600, name);
        const rows = readFileSync(join(cwd, folder, name), 'utf8')
          .split('\n')
          .filter(Boolean);
        return rows.map((line) => JSON.parse(line) as Record<string, unknown>);
      });
    const span = ['--from', from, '--format', 'ndjson', '--out'];
    await json('history', 'export', ...span, 'all', '--what', 'answers');
    assert.deepEqual(
      lines('all').map(({ keyId }) => keyId),
      [key.id, 'key_another'],
    );
    // Into the folder of all: files of a key have another name.
    const another = ['all', '--what', 'answers', '--key', 'key_another'];
    assert.equal((await json<{ rows: number }>('history', 'export', ...span, ...another)).rows, 1);
    const parquet = await json<{ rows: number }>(
      'history',
      'export',
      '--from',
      from,
      '--format',
      'parquet',
      '--out',
      'typed',
      '--what',
      'answers',
      '--key',
      key.lastFour,
    );
    assert.equal(parquet.rows, 1);
    await json('history', 'export', ...span, 'own', '--what', 'answers', '--key', key.lastFour);
    assert.ok(!JSON.stringify(lines('own')).includes('key_another'));
    assert.deepEqual(
      lines('own').map(({ keyId, route, symbol, status, requestId: id }) => [keyId, route, symbol, status, id]),
      [[key.id, '/v1/ticker', 'BTCEUR', 200, requestId]],
    );
    const refused = await mdapi('history', 'export', ...span, 'x', '--key', key.id);
    assert.match(refused.stderr, /--key goes with --what answers/);
  });

  it('is exported with what changed rarely, in its order', async (t) => {
    const { json, cwd } = await operator(t);
    await json('history', 'export', '--from', from, '--what', 'facts', '--format', 'csv', '--out', 'facts');
    const [name] = readdirSync(join(cwd, 'facts'));
    const lines = readFileSync(join(cwd, 'facts', name!), 'utf8')
      .trim()
      .split('\n');
    assert.equal(lines[0], 'kind,at,sub,subject,text');
    const kinds = lines.slice(1).map((line) => line.slice(0, line.indexOf(',')));
    assert.ok(kinds.indexOf('process') < kinds.indexOf('hold') && kinds.at(-1) === 'stop', kinds.join());
  });

  it('names what is wrong with a question, and changes nothing', async (t) => {
    const { mdapi, cwd } = await operator(t);
    const span = ['--from', from];
    const out = ['--format', 'csv', '--out', 'x'];
    const cases: readonly (readonly [argv: readonly string[], exitCode: number, named: RegExp])[] = [
      [['quotes', 'BTCEUR'], 2, /--from/],
      [['quotes', 'BTC-EUR', ...span], 2, /"BTC-EUR" is no symbol/],
      [['quotes', 'BTCEUR', '--from', 'yesterday'], 2, /--from/],
      [['quotes', 'BTCEUR', ...span, '--to', '2026-11-20T00:00Z'], 2, /--to has to be after --from/],
      [['quotes', 'BTCEUR', ...span, '--limit', '0'], 2, /--limit/],
      [['served', ...span], 2, /--key/],
      [['served', '--key', 'none', ...span], 4, /No key ends with none/],
      [['answer', '6f1c'], 2, /32 hexadecimal digits/],
      [['answer', 'f'.repeat(32)], 4, /no answer to a key with the id f+/],
      [['hold', ...span], 2, /--reason/],
      [['hold', ...span, '--reason', 'x'.repeat(201)], 2, /200 characters/],
      [['release', 'one'], 2, /ID/],
      [['release', '7'], 4, /no hold 7/],
      [['export', ...span, '--out', 'x'], 2, /--format/],
      [['export', ...span, '--format', 'xml', '--out', 'x'], 2, /parquet/],
      [['export', ...span, ...out, '--symbol', 'BTC/EUR'], 2, /"BTC\/EUR" is no symbol/],
    ];
    for (const [argv, exitCode, named] of cases) {
      const outcome = await mdapi('history', ...argv);
      assert.equal(outcome.exitCode, exitCode, `${argv.join(' ')}: ${outcome.stderr}`);
      assert.match(outcome.stderr, named);
      assert.equal(outcome.stdout, '');
    }
    assert.ok(!readdirSync(cwd).includes('x'));
  });

  it('that is not there, or is off, is said to be so', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'bot@example.com'], { cwd });
    const missing = await runInside(['history', 'verify'], { cwd });
    assert.equal(missing.exitCode, 4);
    assert.match(missing.stderr, /There is no record .*history\.sqlite/);
    const off = await runInside(['history', 'verify'], { cwd, env: { MDAPI_HISTORY_URL: 'off' } });
    assert.equal(off.exitCode, 1);
    assert.match(off.stderr, /Nothing is recorded: history\.url is off/);
  });
});
