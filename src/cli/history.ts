import type { EpochMs } from '../ground/clock.ts';
import type { RecordPosition } from '../history/segment/rows.ts';
import { positionText, provenView, quoteView, servedView } from '../operator/record.ts';
import type { OptionDeclarations, OptionValues } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { exportRecord } from './history-export.ts';
import { hold, release, verify } from './history-keeping.ts';
import { evidence, prove } from './history-proof.ts';
import { ship } from './history-ship.ts';
import { keyIdOf, readSpan, spanOptions, symbolOf, withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';
import { instantCell, pairs, table } from './style.ts';
import { parseCount, parseRequestId } from './values.ts';

const limitMax = 100_000;

const pageOptions = {
  ...spanOptions,
  limit: { value: 'ROWS', summary: `at most this many, 1 to ${limitMax} (default: 1000)` },
} as const satisfies OptionDeclarations;

function readPage(options: OptionValues<typeof pageOptions>, now: EpochMs) {
  return { ...readSpan(options, now), limit: parseCount(options.limit ?? '1000', limitMax, '--limit') };
}

/** Where to go on: the position for programs, a note for people. */
function nextOf(next: RecordPosition | undefined, { limit }: { readonly limit: number }) {
  if (next === undefined) return { next: null, notes: [] };
  const note = `These are the first ${limit}: begin the next span at the last of them, or raise --limit.`;
  return { next: positionText(next), notes: [note] };
}

const quotes = storeCommand({
  name: 'history quotes',
  summary: 'show everything that was quoted of a market in a span',
  positionals: { SYMBOL: { summary: 'the market, such as BTCCZK, in any case' } },
  options: {
    ...spanOptions,
    limit: { value: 'ROWS', summary: 'at most this many, 1 to 100000 (default: 1000)' },
  },
  examples: {
    'mdapi history quotes BTCCZK --from 2026-11-22T12:00Z --to 2026-11-22T12:01Z': 'one minute',
  },
  read: ({ options }, now) => readPage(options, now),
  async work({ positionals, values, configuration, paint, context: { clock } }) {
    const symbol = symbolOf(positionals.SYMBOL);
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

const served = storeCommand({
  name: 'history served',
  summary: 'show what a key was answered in a span',
  options: {
    key: { value: 'KEY', required: true, summary: 'the key’s id, or its last four characters' },
    ...spanOptions,
    limit: { value: 'ROWS', summary: 'at most this many, 1 to 100000 (default: 1000)' },
  },
  examples: {
    'mdapi history served --key x7Qa --from 2026-11-22T12:00Z': 'until now',
  },
  read: ({ options }, now) => readPage(options, now),
  async work({ options, values, store, configuration, paint, context: { clock } }) {
    const keyId = await keyIdOf(store, options.key);
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

const answer = storeCommand({
  name: 'history answer',
  summary: 'build an answer again, from its request id',
  positionals: { REQUEST_ID: { summary: '`requestId` of a problem, or X-Request-Id of any answer' } },
  examples: {
    'mdapi history answer 6f1c2a9e4b7d4f08a3c5e1d2b4f60718': 'who got it, when, and its body',
  },
  read: ({ positionals }) => parseRequestId(positionals.REQUEST_ID),
  async work({ values: id, configuration, paint, context: { clock } }) {
    const found = await withRecord(configuration, clock, (record) => record.answer(id));
    if (found === undefined) throw requestUnknown(id);
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

function requestUnknown(id: string): CommandError {
  const message = `The record has no answer to a key with the id ${id}.`;
  return new CommandError(exitCodes.notFound, 'request_unknown', message);
}

export const commands = [quotes, served, answer, prove, evidence, exportRecord, ship, verify, hold, release];
