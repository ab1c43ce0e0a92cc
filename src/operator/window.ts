import type { Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { WindowRecord } from '../store/windows.ts';
import { id, instantFields, named, nullableInstantFields, openEnum, viewOf } from './fields.ts';

export const windowDescription = part.text(
  'What the maintenance is about, in English: clients read it.',
  'Upgrade of the price database.',
  { maxLength: 500 },
);

export const WindowSchema = named(
  'Window',
  'A maintenance window. It runs from `from` (included) to `to` (excluded).',
  {
    id: id('win', 'The window’s id.'),
    state: openEnum(['announced', 'running', 'ended', 'cancelled'], 'Where it is in its life.'),
    ...instantFields('from', 'The first instant at which it runs.'),
    ...instantFields('to', 'The first instant at which it no longer runs; `extend` and `end` move it.'),
    description: windowDescription,
    ...instantFields('createdAt', 'When it was announced.'),
    ...nullableInstantFields('endedAt', 'When an operator ended it early.'),
    ...nullableInstantFields('cancelledAt', 'When an operator cancelled it.'),
  },
);

export type WindowView = Static<typeof WindowSchema>;

/** Whether two windows share an instant. */
export function overlap(one: Pick<WindowRecord, 'from' | 'to'>, other: Pick<WindowRecord, 'from' | 'to'>): boolean {
  return one.from < other.to && other.from < one.to;
}

/** A window that was ended early is `ended`, like one whose time is over: ending it moved its `to`. */
function windowState({ from, to, cancelledAt }: WindowRecord, now: EpochMs): WindowView['state'] {
  if (cancelledAt !== undefined) return 'cancelled';
  if (now >= to) return 'ended';
  return now < from ? 'announced' : 'running';
}

export function windowView(window: WindowRecord, now: EpochMs): WindowView {
  return viewOf(WindowSchema.properties, { ...window, state: windowState(window, now) });
}
