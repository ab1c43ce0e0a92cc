import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import type { BoardView } from '../../management/views.ts';
import { type Watched, watchedNext } from './board.ts';
import { frameOf, type Scene, spanText } from './frame.ts';
import { board, colours, marked, market, noPaint, windowBody } from './samples.testing.ts';
import { actionsOf } from './table.ts';

function scene(view: BoardView, more: Partial<Scene> = {}): Scene {
  const watched = watchedNext(undefined, view, []);
  return { watched, laterMs: 0, lost: undefined, top: 0, ...more };
}

function drawn(of: Scene, columns = 80, rows = 24): readonly string[] {
  return frameOf(of, { columns, rows }, noPaint).lines;
}

const many = Array.from({ length: 50 }, (_, index) => market(`A${String(index).padStart(2, '0')}EUR`));

describe('the table', () => {
  test('shows state, age, path and time above, a row for each market, and the keys below', () => {
    const first = watchedNext(undefined, board([market('BTCEUR', { buyPrice: '84631.1' })]), []);
    const watched = watchedNext(first, board([market('BTCEUR')]), []);
    const lines = drawn({ ...scene(board([])), watched, laterMs: 1_000 }, 80, 8);
    assert.deepEqual(lines, [
      'mdapi  operational  data 1.4 s old  live                            10:00:01 UTC',
      '',
      'SYMBOL      BUY       SELL    SPREAD %  24H %    AGE',
      'BTCEUR  84631.2 ▲  83788.9        1.00  -1.05  1.5 s',
      '',
      '',
      '',
      '1 market  q: quit',
    ]);
  });

  test('is as many lines as the terminal has rows, none wider, whatever its size and what it shows', () => {
    const troubled = board([...many, { symbol: 'BTCCZK', status: 'paused', unpriced: 'no_rate' }]);
    troubled.service.maintenance = windowBody(
      60,
      120,
      'A text of some length, with wörds — and more of them, to be cut',
    );
    const size = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 70 }) });
    const lost = { url: 'http://127.0.0.1:9090', why: 'connection refused' };
    const seed = 20261121;
    fc.assert(
      fc.property(size, fc.integer({ min: -5, max: 99 }), fc.boolean(), ({ columns, rows }, top, isLost) => {
        const shown = scene(troubled, { top, lost: isLost ? lost : undefined });
        for (const paint of [noPaint, colours]) {
          const { lines } = frameOf(shown, { columns, rows }, paint);
          assert.equal(lines.length, rows);
          for (const line of lines) {
            const width = [...stripVTControlCharacters(line)].length;
            assert.ok(width <= columns, `${width} > ${columns}: ${line}`);
          }
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  test('leaves out the last columns where there is no room', () => {
    const headings = (columns: number) =>
      drawn(scene(board(many)), columns)[2]!
        .split(/ {2,}/)
        .filter(Boolean);
    assert.deepEqual(headings(80), ['SYMBOL', 'BUY', 'SELL', 'SPREAD %', '24H %', 'AGE']);
    assert.deepEqual(headings(50), ['SYMBOL', 'BUY', 'SELL', 'SPREAD %', '24H %']);
    assert.deepEqual(headings(30), ['SYMBOL', 'BUY', 'SELL']);
  });

  test('scrolls as far as there are rows and says where it is', () => {
    const shownAt = (top: number) => {
      const { lines, ...frame } = frameOf(scene(board(many), { top }), { columns: 80, rows: 25 }, noPaint);
      return { ...frame, firstRow: lines[3]!.split(' ')[0], footer: lines.at(-1)!.split(',')[0] };
    };
    assert.deepEqual(shownAt(0), { top: 0, page: 20, firstRow: 'A00EUR', footer: '1-20 of 50' });
    assert.deepEqual(shownAt(20), { top: 20, page: 20, firstRow: 'A20EUR', footer: '21-40 of 50' });
    assert.deepEqual(shownAt(99), { top: 30, page: 20, firstRow: 'A30EUR', footer: '31-50 of 50' });
    assert.deepEqual(shownAt(-9), { top: 0, page: 20, firstRow: 'A00EUR', footer: '1-20 of 50' });
  });

  test('says that maintenance is announced or runs, in up to two lines, and the state of the data meanwhile', () => {
    const view = board([market('BTCEUR')]);
    view.service.maintenance = windowBody(90, 150, 'Upgrade of the price database.');
    assert.deepEqual(drawn(scene(view)).slice(1, 3), [
      'maintenance announced for 2026-11-21 11:30 to 12:30 UTC (in 90 min): Upgrade of',
      'the price database.',
    ]);
    view.service.maintenance = windowBody(-30, 3, 'Upgrade.');
    view.service.status = 'maintenance';
    view.service.components.ticker = 'outage';
    const [title = '', notice] = drawn(scene(view, { laterMs: 60_000 }));
    assert.match(title, /^mdapi {2}maintenance {2}data 60 s old {2}live {2}market data: outage +10:01:00 UTC$/);
    assert.equal(notice, 'maintenance until 2026-11-21 10:03 UTC (2 min left): Upgrade.');
  });

  test('says for how long the server has not answered, and shows the state as a past one', () => {
    const lost = { url: 'http://127.0.0.1:9090', why: 'connection refused' };
    const lines = drawn(scene(board([market('BTCEUR')]), { lost, laterMs: 12_000 }), 140);
    assert.match(lines[0]!, /^mdapi {2}was operational {2}data 12 s old/);
    assert.match(
      lines[1]!,
      /^No answer from http:\/\/127\.0\.0\.1:9090 for 12 s \(connection refused\)\. Trying again/,
    );
  });

  test('says why a market has no price, that it is paused, and that there are none yet', () => {
    const view = board([
      { symbol: 'ADACZK', status: 'trading', unpriced: 'no_rate' },
      { ...market('BTCEUR'), status: 'paused' },
    ]);
    const lines = drawn(scene(view));
    assert.match(lines[3]!, /^ADACZK +- +- +no rate +- /);
    assert.match(lines[4]!, /^BTCEUR .* paused /);
    assert.equal(drawn(scene(board([])))[2], 'No markets yet: the server is loading them.');
  });

  test('lets no text of others control the terminal', () => {
    const view = board([market('BTCEUR')]);
    view.service.maintenance = windowBody(1, 2, 'a\u001b[2Jb\u202ec');
    assert.ok(!drawn(scene(view)).join('').includes('\u001b'));
    assert.ok(!drawn(scene(view)).join('').includes('\u202e'));
  });

  test('colours a price by its last move, brighter when it has just moved, and the state by its severity', () => {
    const first = watchedNext(undefined, board([market('BTCEUR', { buyPrice: '1.0', sellPrice: '0.9' })]), []);
    const next = watchedNext(first, board([market('BTCEUR', { buyPrice: '1.1', sellPrice: '0.8' })]), []);
    const shown = (watched: Watched) =>
      frameOf({ ...scene(board([])), watched }, { columns: 80, rows: 24 }, marked).lines;
    assert.match(shown(next)[3]!, /<b><good> +1\.1 ▲<\/good><\/b><b><bad> +0\.8 ▼<\/bad><\/b>/);
    const still = watchedNext(next, board([market('BTCEUR', { buyPrice: '1.1', sellPrice: '0.8' })]), []);
    assert.match(shown(still)[3]!, /<\/b><good> +1\.1 ▲<\/good><bad> +0\.8 ▼<\/bad>/);
    assert.match(shown(still)[0]!, /<good> {2}operational<\/good>/);
    const outage = board([], { feedPath: 'fallback', dataAgeMs: 300_001 });
    outage.service.status = 'outage';
    assert.match(
      shown(watchedNext(undefined, outage, []))[0]!,
      /<bad> {2}outage<\/bad><bad> {2}data 5 min old<\/bad><attention> {2}fallback<\/attention>/,
    );
  });
});

test('keys are read one by one, several at once, and those of both kinds of terminals', () => {
  assert.deepEqual(actionsOf('\u001b[Bx\u001b[A'), ['down', 'up']);
  assert.deepEqual(actionsOf('\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001bOF'), [
    ...(['up', 'down', 'page-up', 'page-down', 'first', 'last'] as const),
  ]);
  for (const quit of ['q', 'Q', '\u0003', '\u0004']) assert.deepEqual(actionsOf(quit), ['quit']);
  assert.deepEqual(actionsOf('\u001b[1;5Q\u001b'), [], 'an unknown key is not the letter it ends with');
});

test('spans of time are short at any length', () => {
  const spans = [-5, 0, 400, 9_949, 9_950, 119_999, 120_000, 7_199_999, 7_200_000, 172_799_999, 172_800_000];
  assert.deepEqual(spans.map(spanText), [
    '0.0 s',
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '9 s',
    '119 s',
    '2 min',
    '119 min',
    '2 h',
    '47 h',
    '2 d',
  ]);
});
