import { type EpochMs, systemClock } from '../../src/ground/clock.ts';
import { type PriceAt, RecordQuestions } from '../../src/history/query/questions.ts';
import { rebuildAnswer } from '../../src/history/reading/bodies.ts';
import { RecordReader } from '../../src/history/reading/record-reader.ts';
import type { SegmentReader } from '../../src/history/segment/segment-store.ts';

const span = { from: 0 as EpochMs, to: 4_000_000_000_000 as EpochMs };

/**
 * Everything that a record answers: quotes, prices at instants, answers with their bodies, facts, and its verification.
 */
export async function contentOf(store: SegmentReader) {
  const reader = new RecordReader(store);
  const questions = new RecordQuestions(store, systemClock);
  const quotes = await Array.fromAsync(reader.quotes(1, undefined, span)).then((batches) => batches.flat());
  const answers: unknown[] = [];
  for await (const rows of reader.servings(1, span)) {
    for (const { requestId } of rows) {
      const found = (await reader.findServing(requestId))!;
      answers.push([found.serving, found.segment?.number, (await rebuildAnswer(reader, found))?.body]);
    }
  }
  const prices: unknown[] = [];
  for (const { symbol, at } of quotes) prices.push(valuesOf(await questions.priceAt(symbol, (at + 7) as EpochMs, [])));
  const facts = [...(await reader.factsAt(1, { at: span.to, sub: 0 })).values()];
  const proofs: unknown[] = [];
  for (const [{ requestId }] of answers as [{ requestId: string }][]) proofs.push(await questions.prove(requestId));
  const [verification, { gaps, holds }] = [await questions.verify(), await questions.summary()];
  return { quotes, prices, answers, facts, verification, gaps, holds, proofs };
}

/** Without the words of the explanation, which may change. */
function valuesOf(price: PriceAt): unknown {
  if (price.kind !== 'priced') return price;
  const { row, held, explanation } = price;
  const { buy, sell, market } = explanation;
  return { row, held, market, buy: buy.map(({ value }) => value), sell: sell.map(({ value }) => value) };
}
