import { encodeFacts } from './fact-codec.ts';
import { encodeQuotes } from './quote-codec.ts';
import { breakKinds, type Position, type Rows } from './rows.ts';
import type { SegmentContent, SegmentKind } from './segment.ts';
import { encodeServings } from './serving-codec.ts';

/** Of segments that hold no servings. */
export const noRequests = { low: 0, high: 0 } as const;

/** The keyframe whose names are referred to. */
interface Base {
  readonly number: number;
  readonly names: readonly string[];
}

/** The segments that rows make, one of each kind there is. */
export function segmentsOf({ quotes, facts, servings }: Rows, run: number, base: Base): SegmentContent[] {
  const { names } = base;
  const contents: SegmentContent[] = [];
  const add = (
    kind: SegmentKind,
    rows: readonly Position[],
    encode: () => Buffer,
    requests: SegmentContent['requests'],
    keyframe = base.number,
  ) => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    const count = rows.length;
    const span = { firstAt: first.at, lastAt: last.at };
    contents.push({ run, kind, ...span, count, requests, keyframe, data: encode() });
  };
  const [breaks, others] = [true, false].map((isBreak) =>
    facts.filter(({ kind }) => breakKinds.includes(kind) === isBreak),
  );
  add('quotes', quotes, () => encodeQuotes(quotes, names), noRequests);
  add('facts', others!, () => encodeFacts(others!), noRequests, 0);
  add('breaks', breaks!, () => encodeFacts(breaks!), noRequests, 0);
  add('servings', servings, () => encodeServings(servings, names), spanOf(servings.map(({ request }) => request)));
  return contents;
}

function spanOf(requests: readonly number[]): SegmentContent['requests'] {
  let [low, high] = [Number.MAX_SAFE_INTEGER, 0];
  for (const request of requests) {
    if (request < low) low = request;
    if (request > high) high = request;
  }
  return { low, high };
}
