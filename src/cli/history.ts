import type { EpochMs } from '../ground/clock.ts';
import type { Position } from '../history/segment/rows.ts';
import { positionText, provenView, quoteView, servedView } from '../operator/record.ts';
import type { Command, CommandInput } from './command.ts';
import { failure } from './failure.ts';
import { exportRecord } from './history-export.ts';
import { hold, release, verify } from './history-keeping.ts';
import { proofCommands } from './history-proof.ts';
import { ship } from './history-ship.ts';
import { keyIdOf, readSpan, symbolOf, withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';
import { instantCell, pairs, table } from './style.ts';
import { parseCount, parseRequestId } from './values.ts';

const limitMax = 100_000;

function readPage(input: CommandInput, now: EpochMs) {
  return { ...readSpan(input, now), limit: parseCount(input.option('limit') ?? '1000', limitMax, '--limit') };
}

/** Where to go on: the position for programs, a note for people. */
function nextOf(next: Position | undefined, { limit }: { readonly limit: number }) {
  if (next === undefined) return { next: null, notes: [] };
  const note = `These are the first ${limit}: begin the next span at the last of them, or raise --limit.`;
  return { next: positionText(next), notes: [note] };
}

const quotes = storeCommand('history quotes', {
  read: readPage,
  async work({ input, values, configuration, paint, context: { clock } }) {
    const symbol = symbolOf(input.argument('SYMBOL'));
    const { rows, ...page } = await withRecord(configuration, clock, (record) => record.quotes(symbol, values));
    const { next, notes } = nextOf(page.next, values);
    const views = rows.map(quoteView);
    const lines = views.map(({ at, unpriced, buyPrice, sellPrice, bid, ask, source, timestamp }) => {
      const prices = [buyPrice ?? `(${unpriced})`, sellPrice ?? '', bid ?? '', ask ?? ''];
      return [instantCell(at), ...prices, source ?? '', timestamp ?? ''];
    });
    const headings = ['PUBLISHED', 'BUY', 'SELL', 'BID', 'ASK', 'SOURCE', 'CAPTURED'];
    const text = table(headings, lines, paint, 'Nothing was quoted in this span, or the record does not have it.');
    return { json: { quotes: views, next }, text, notes };
  },
});

const served = storeCommand('history served', {
  read: readPage,
  async work({ input, values, store, configuration, paint, context: { clock } }) {
    const keyId = await keyIdOf(store, input.required('key'));
    const { rows, ...page } = await withRecord(configuration, clock, (record) => record.served(keyId, values));
    const { next, notes } = nextOf(page.next, values);
    const views = rows.map(servedView);
    const lines = views.map(({ at, route, symbol, status, code, requestId }) => {
      return [instantCell(at), route, symbol ?? '', code ?? String(status), requestId];
    });
    const headings = ['ANSWERED', 'RESOURCE', 'SYMBOL', 'ANSWER', 'REQUEST ID'];
    const text = table(headings, lines, paint, 'Nothing was answered to this key in this span.');
    return { json: { keyId, answers: views, next }, text, notes };
  },
});

const answer = storeCommand('history answer', {
  read: (input) => parseRequestId(input.argument('REQUEST_ID')),
  async work({ values: id, configuration, paint, context: { clock } }) {
    const found = await withRecord(configuration, clock, (record) => record.answer(id));
    if (found === undefined) throw failure('request_unknown.record', { id });
    const view = provenView(found);
    const { keyId, at, route, symbol, status } = view.answer;
    const { segment } = view;
    const proof =
      segment === null ? 'not yet: its minute runs' : `${segment.number} of chain ${segment.chain}, ${segment.hash}`;
    const facts = [
      ['Key', keyId],
      ['Answered', instantCell(at)],
      ['Resource', symbol === null ? route : `${route} ${symbol}`],
      ['Status', String(status)],
      ['Segment', proof],
    ] as const;
    return { json: view, text: `${pairs(facts, paint)}\n\n${view.body ?? 'The record lacks a part of its body.'}` };
  },
});

const others = [exportRecord, ship, verify, hold, release];
export const historyCommands: readonly Command[] = [quotes, served, answer, ...proofCommands, ...others];
