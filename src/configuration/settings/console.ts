import * as kind from '../kinds.ts';
import { optional, section, text } from '../kinds.ts';

/** Not `console`, which every program has. */
export const operatorConsole = section('The console, and which environment it is of.', {
  title: optional(text(kind.shortName), {
    description:
      'Name of this environment: on a band above every page of the console, before the title of its tabs, and in the mails and messages to operators.',
    whenAbsent: 'no band and no name',
    example: 'Test',
  }),
  colour: optional(text(kind.colour), {
    description:
      'Ground of the band, the same on light and dark pages; its text is black or white, what contrasts more.',
    whenAbsent: 'a grey',
    example: '#b3261e',
  }),
});
