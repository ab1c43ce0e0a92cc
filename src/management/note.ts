import type { Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import { line, listOf, named, nullableLine, openEnum } from '../operator/fields.ts';

export const NoteSchema = named('Note', 'What an operator should know.', {
  level: openEnum(
    ['critical', 'warning', 'info'],
    '`critical`: waits for an operator now. `warning`: for working hours. `info`: needs no action.',
  ),
  text: line('What it is.', 'market data: degraded'),
  page: nullableLine('The page of the console that shows more; null where none does.', 'feed', 64),
  markets: listOf(part.symbol('A market.', 'BTCEUR'), 'The markets that it names, the first few.', 5),
});

export type Note = Static<typeof NoteSchema>;
