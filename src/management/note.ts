import type { Static } from 'typebox';
import { line, named, nullableLine, openEnum } from '../operator/fields.ts';

export const NoteSchema = named('Note', 'What an operator should know.', {
  level: openEnum(
    ['critical', 'warning', 'info'],
    '`critical`: waits for an operator now. `warning`: for working hours. `info`: needs no action.',
  ),
  text: line('What it is.', 'market data: degraded'),
  page: nullableLine('The page of the console that shows more; null where none does.', 'feed', 64),
});

export type Note = Static<typeof NoteSchema>;
