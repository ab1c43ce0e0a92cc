import type { Static } from 'typebox';
import { symbol } from '../contract/schema-parts.ts';
import { line, listOf, named, nullableLine, openEnum, referenceTo } from '../operator/fields.ts';
import type { Severity } from './condition.ts';
import { type Found, foundIn } from './find.ts';
import type { Observed } from './observed.ts';
import { FoundConditionSchema } from './schema.ts';

export const NoteSchema = named('Note', 'What an operator should know.', {
  level: openEnum(
    ['critical', 'warning', 'info'],
    '`critical`: waits for an operator now. `warning`: for working hours. `info`: needs no action.',
  ),
  text: line('What it is.', 'market data: degraded'),
  page: nullableLine('The page of the console that shows more; null where none does.', 'feed', 64),
  markets: listOf(symbol('A market.', 'BTCEUR'), 'The markets that it names, the first few.', 5),
  condition: referenceTo(FoundConditionSchema, 'The same by its code.'),
});

export type Note = Static<typeof NoteSchema>;

const levels: readonly Severity[] = ['critical', 'warning', 'info'];
/** One reading shows no growth. */
const hasGrown = () => () => false;

/** Lists what an operator must act on, the most urgent first, then what is only unusual. */
export function notesOf(observed: Observed): Note[] {
  const found = [...foundIn(observed, hasGrown, ({ note }) => note !== undefined)];
  const notes = found.filter(({ declared }) => !declared.isAside).flatMap(noteOf);
  const isBad = notes.some(({ level }) => level === 'critical');
  const aside = isBad ? found.filter(({ declared }) => declared.isAside).flatMap(noteOf) : [];
  return levels.flatMap((level) => [...notes, ...aside].filter((note) => note.level === level));
}

function noteOf({ declared: { note }, condition, severity, sentence }: Found): Note[] {
  const values: object = condition.values;
  if (note === undefined || note.when?.(values) === false) return [];
  return [
    {
      level: note.level ?? severity,
      text: note.sentence?.(values) ?? sentence,
      page: note.page,
      markets: [...(note.markets?.(values) ?? [])],
      condition,
    },
  ];
}
