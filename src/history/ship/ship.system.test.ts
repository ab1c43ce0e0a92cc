import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClickHouseEngine, clickHouseNeeds } from '../../../test/support/clickhouse.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { Child, launcher } from '../../../test/support/mdapi-process.ts';
import { runInside } from '../../cli/cli.testing.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { twoProcesses } from '../reading/coverage.testing.ts';
import { RecordReader } from '../reading/record-reader.ts';
import { directoryFor } from '../record/record.testing.ts';
import type { Gap } from '../segment/rows.ts';
import { ClickHouse } from './clickhouse.ts';
import { bringUpToDate, makeTables } from './clickhouse-tables.ts';
import { type Copied, type CopiedRow, copiedBy, expectedOf, keyOf, RecordedService } from './ship.testing.ts';
import { shipTo } from './ship.ts';

test(
  'in a real ClickHouse each row of the record is there once and with every digit, although ship and server were killed at each insert',
  clickHouseNeeds,
  async (t) => {
    const service = await RecordedService.start(t);
    for (let minute = 0; minute < 4; minute++) await service.minute();
    service.kill();
    service.clock.jump(30_000);
    await service.begin();
    await service.minute();
    await service.stop();
    service.clock.jump(60_000);
    await service.begin();
    await service.minute();
    await service.stop();
    const directory = directoryFor(t);
    let clickhouse = await ClickHouseEngine.start(t, directory);
    const path = service.record.location.kind === 'sqlite' ? service.record.location.path : '';
    const secret = join(directory, 'url');
    const env = { MDAPI_HISTORY_URL: `sqlite:${path}`, MDAPI_HISTORY_CLICKHOUSE_URL_FILE: secret };
    const ship = (...argv: readonly string[]) => {
      writeFileSync(secret, clickhouse.url);
      return new Child(t, process.execPath, [launcher, 'history', 'ship', ...argv], { cwd: directory, env });
    };
    writeFileSync(secret, clickhouse.url);
    await runInside(['accounts', 'create', '--email', 'bot@example.com'], { cwd: directory, env });

    let kills = 0;
    for (let isOver = false; !isOver; ) {
      const before = clickhouse.inserts;
      const shipping = ship('--create');
      await eventually('an insert, or the end', () => clickhouse.inserts > before || !shipping.running, 60_000);
      isOver = !shipping.running;
      shipping.kill('SIGKILL');
      const { code } = await shipping.ended;
      if (isOver) assert.equal(code, 0, shipping.output);
      else if (++kills === 2) {
        await clickhouse.kill();
        clickhouse = await ClickHouseEngine.start(t, directory);
      }
    }
    assert.ok(kills > 5, `only ${kills} kills`);
    t.diagnostic(`killed ${kills} times`);

    const read = async (query: string) => {
      return (await clickhouse.rows<CopiedRow>(query)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    };
    const copied: Copied = {
      quotes: await read(copiedBy.quotes),
      servings: await read(copiedBy.servings),
      facts: await read(copiedBy.facts),
    };
    const expected = await expectedOf(service.record);
    assert.deepEqual(copied, expected);

    const { gaps } = await new RecordReader(service.record.store).coverage(service.clock.now());
    assert.deepEqual(await gapsIn(clickhouse), gapsOf(gaps));
    const published = copiedBy.quotes.replace('FROM quotes', 'FROM prices');
    assert.deepEqual(await read(published), expected.quotes);

    const last = expected.quotes.findLast(({ symbol }) => symbol === 'BTCCZK')!;
    const [price] = await clickhouse.rows<Record<string, string>>(
      `SELECT buyPriceText, toString(buyPrice) AS buyPrice, toString(rate) AS rate, terms FROM quotes
      WHERE symbol = 'BTCCZK' AND at <= '2026-12-31 00:00:00.000' ORDER BY at DESC, sub DESC LIMIT 1`,
    );
    assert.deepEqual([price!.buyPriceText, price!.rate, price!.terms?.slice(0, 4)], [last.buy, '24.315', 'cfg_']);
    assert.equal(Number(price!.buyPrice), Number(last.buy));
    const { requestId } = expected.servings[7]!;
    const answers = await clickhouse.rows<{ keyId: string }>(
      `SELECT keyId FROM servings WHERE requestId = '${requestId}'`,
    );
    assert.deepEqual(answers, [{ keyId: expected.servings[7]!.keyId }]);

    writeFileSync(join(directory, 'mdapi.yaml'), 'history: { clickhouse: { keepFor: 90d } }\n');
    const again = ship('--create');
    assert.deepEqual(await again.ended, { code: 0, signal: null }, again.output);
    assert.match(await clickhouse.query('SHOW CREATE TABLE quotes'), /toIntervalSecond\(7776000\)/);
    assert.deepEqual(await read(copiedBy.quotes), expected.quotes);
  },
);

function locationOf(clickhouse: ClickHouseEngine) {
  const { username, password, origin } = new URL(clickhouse.url);
  return { url: origin, user: username, password: decodeURIComponent(password), database: 'record' };
}

test(
  'a real ClickHouse gets the columns that its tables lack from several processes at once, and refuses none of their types',
  clickHouseNeeds,
  async (t) => {
    const service = await RecordedService.start(t);
    await service.minute();
    await service.stop();
    const clickhouse = await ClickHouseEngine.start(t, directoryFor(t));
    const targets = [1, 2, 3].map(() => new ClickHouse(locationOf(clickhouse)));
    t.after(() => Promise.all(targets.map((target) => target.close())));
    await makeTables(targets[0]!, 86_400_000);
    const described = () =>
      clickhouse.query(
        'SELECT table, name, type FROM system.columns WHERE database = currentDatabase() ORDER BY table, name',
      );
    const whole = await described();
    await clickhouse.query('ALTER TABLE quotes DROP COLUMN vwap24h, DROP COLUMN vwap24hText');
    await clickhouse.query('ALTER TABLE servings DROP INDEX requestIds, DROP COLUMN requestId');
    await clickhouse.query('ALTER TABLE coverage DROP COLUMN reason');
    await clickhouse.query('CREATE OR REPLACE VIEW prices AS SELECT symbol, chain, at FROM quotes');
    assert.notEqual(await described(), whole);
    await Promise.all(targets.map(bringUpToDate));
    assert.equal(await described(), whole);

    const options = {
      from: undefined,
      to: undefined,
      now: service.clock.now(),
      keepForMs: 86_400_000,
      progress: () => {},
    };
    await shipTo(service.record.store, locationOf(clickhouse), false, options);
    const rows = await clickhouse.rows<CopiedRow>(copiedBy.quotes.replace('FROM quotes', 'FROM prices'));
    assert.deepEqual(
      rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
      (await expectedOf(service.record)).quotes,
    );
    await clickhouse.query('ALTER TABLE facts MODIFY COLUMN subject FixedString(64)');
    await assert.rejects(shipTo(service.record.store, locationOf(clickhouse), false, options), {
      reason: 'clickhouse_schema',
      message:
        /column subject of the table facts .* has the type FixedString\(64\); this version of mdapi writes LowCardinality/,
    });
  },
);

const gapText = (at: number | undefined) =>
  at === undefined ? null : new Date(at).toISOString().slice(0, -1).replace('T', ' ');
const gapsOf = (gaps: readonly Gap[]) =>
  gaps.map(({ from, to, reason }) => ({ fromAt: gapText(from), toAt: gapText(to), reason }));
const gapsIn = (clickhouse: ClickHouseEngine) =>
  clickhouse.rows('SELECT toString(fromAt) AS fromAt, toString(toAt) AS toAt, reason FROM gaps ORDER BY fromAt');

test(
  'of several processes a real ClickHouse gives each price once, over handings over, restarts, midnight and a death (fault row 78)',
  clickHouseNeeds,
  async (t) => {
    const { clock, leader, follower, running, published, pass } = await twoProcesses(t, '2026-11-30T23:58:10.000Z');
    const directory = directoryFor(t);
    const clickhouse = await ClickHouseEngine.start(t, directory);
    const location = locationOf(clickhouse);
    const ship = () => {
      const options = { from: undefined, to: undefined, now: clock.now(), keepForMs: 86_400_000, progress: () => {} };
      return shipTo(follower.store, location, true, options);
    };
    const prices = async () => {
      const query = "SELECT bidText AS bid FROM prices WHERE symbol = 'BTCEUR' AND unpriced = '' ORDER BY at, sub";
      return (await clickhouse.rows<{ bid: string }>(query)).map(({ bid }) => bid);
    };
    const bids = () => published.map(({ bid }) => bid);
    await pass(130);
    // The second goes on with what the first made, and says some of it late.
    const { at } = published.at(-1)!;
    clock.jump(500);
    leader.price('84999', clock.now());
    published.push({ at: clock.now(), bid: '84999' });
    await leader.tick();
    leader.publish(false);
    follower.publish(true);
    clock.jump(3);
    follower.price('84999', (clock.now() - 3) as EpochMs);
    assert.ok(at < clock.now());
    clock.jump(497);
    await pass(70, follower, [leader]);
    await ship();
    const count = published.length - 70;
    assert.deepEqual((await prices()).slice(0, count), bids().slice(0, count));
    assert.deepEqual(await gapsIn(clickhouse), []);
    await leader.stop();
    running.delete(leader);
    await pass(65, follower, []);
    await leader.begin();
    running.add(leader);
    await pass(65, follower, [leader]);
    follower.kill();
    running.delete(follower);
    await pass(5, leader, []);
    leader.publish(true);
    await pass(100, leader, []);
    await leader.stop();
    for (let times = 0; times < 2; times++) {
      await ship();
      assert.deepEqual(await prices(), bids());
      const { gaps } = await new RecordReader(follower.store).coverage(clock.now(), true);
      assert.deepEqual(
        gaps.map(({ reason }) => reason),
        ['silent', 'stopped'],
      );
      assert.deepEqual(await gapsIn(clickhouse), gapsOf(gaps));
      clock.jump(60_000);
    }
  },
);
