import Type, { type Static } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import { lastInstantMs } from '../../contract/instant.ts';
import { linePattern } from '../../contract/schema-parts.ts';
import type { NewWindow, WindowRecord } from '../../store/windows.ts';
import { id, instants, nullableInstants, nullablePair, pair, strictObject, words } from './parts.ts';

const description = Type.String({
  description: 'What the maintenance is about, in English: clients read it.',
  minLength: 1,
  maxLength: 500,
  pattern: linePattern,
  examples: ['Upgrade of the price database.'],
});

export const WindowSchema = Type.Object(
  {
    id: id('win', 'The window’s id.'),
    ...pair('from', 'Its start.'),
    ...pair('to', 'Its end, which `extend` and `end` move.'),
    description,
    state: words(['announced', 'running', 'over', 'cancelled'], 'Where it is in its life.'),
    ...pair('createdAt', 'When it was announced.'),
    ...nullablePair('endedAt', 'When an operator ended it before its time.'),
    ...nullablePair('cancelledAt', 'When an operator took it back.'),
  },
  { description: 'A maintenance window. It runs from `from` (included) to `to` (excluded).' },
);

const instantMs = (text: string) =>
  Type.Integer({
    description: `${text}, in milliseconds since the Unix epoch.`,
    minimum: 0,
    maximum: lastInstantMs,
    examples: [1_795_255_200_000],
  });

/** What a window is announced, or tried, with. */
export const NewWindowSchema = strictObject(
  { fromMs: instantMs('Its start'), toMs: instantMs('Its end'), description },
  'The new window.',
);

export const ExtensionSchema = strictObject({ toMs: instantMs('Its new end, later than before') }, 'How far.');

export function newWindowOf({ fromMs, toMs, description }: Static<typeof NewWindowSchema>): NewWindow {
  return { from: fromMs as EpochMs, to: toMs as EpochMs, description: description.trim() };
}

export function windowBody(window: WindowRecord, now: EpochMs): Static<typeof WindowSchema> {
  return {
    id: window.id,
    ...instants('from', window.from),
    ...instants('to', window.to),
    description: window.description,
    state: stateOf(window, now),
    ...instants('createdAt', window.createdAt),
    ...nullableInstants('endedAt', window.endedAt),
    ...nullableInstants('cancelledAt', window.cancelledAt),
  };
}

function stateOf({ from, to, cancelledAt }: WindowRecord, now: EpochMs) {
  if (cancelledAt !== undefined) return 'cancelled';
  if (now >= to) return 'over';
  return now < from ? 'announced' : 'running';
}
