import type { EpochMs } from '../clock.ts';
import type { Segment, SegmentHead, SegmentKind } from './segment.ts';
import type { SegmentQuery } from './segment-store.ts';

/** All columns but the data and its place. */
export const headColumns =
  'chain, number, run, kind, first_ms, last_ms, count, low_request, high_request, keyframe, hash, previous, bytes';

type SegmentValue = string | number | Uint8Array;

/** A segment as both engines keep it. */
export interface SegmentRow {
  readonly chain: number;
  readonly number: number;
  readonly run: number;
  readonly kind: SegmentKind;
  readonly first_ms: EpochMs;
  readonly last_ms: EpochMs;
  readonly count: number;
  readonly low_request: number;
  readonly high_request: number;
  readonly keyframe: number;
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly bytes: number;
  readonly place: number;
}

/** The values of the head's columns. */
export function valuesOf({ requests, ...segment }: Segment): SegmentValue[] {
  return [
    ...[segment.chain, segment.number, segment.run, segment.kind, segment.firstAt, segment.lastAt, segment.count],
    ...[requests.low, requests.high, segment.keyframe, segment.hash, segment.previous, segment.data.length],
  ];
}

/** Which rows a query wants and in which order, with `?` in the place of each value. */
export function conditionsOf(query: SegmentQuery): {
  readonly where: string;
  readonly values: readonly SegmentValue[];
} {
  const conditions: string[] = [`kind in (${query.kinds.map(() => '?').join(', ')})`];
  const values: SegmentValue[] = [...query.kinds];
  const add = (condition: string, value: number | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('chain = ?', query.chain);
  add('run = ?', query.run);
  add('last_ms >= ?', query.from);
  add('first_ms < ?', query.to);
  add('number < ?', query.beforeNumber);
  add('number > ?', query.afterNumber);
  add('low_request <= ?', query.request);
  add('high_request >= ?', query.request);
  const direction = query.backwards === true ? 'desc' : 'asc';
  const order = `order by chain, ${query.byTime === true ? `last_ms ${direction}, ` : ''}number ${direction}`;
  const limit = query.limit === undefined ? '' : ` limit ${query.limit}`;
  return { where: `where ${conditions.join(' and ')} ${order}${limit}`, values };
}

export function headOf({ first_ms, last_ms, low_request, high_request, ...row }: SegmentRow): SegmentHead {
  return {
    ...row,
    firstAt: first_ms,
    lastAt: last_ms,
    requests: { low: low_request, high: high_request },
    hash: Buffer.from(row.hash),
    previous: Buffer.from(row.previous),
  };
}
