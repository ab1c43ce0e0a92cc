import { access } from './texts/access.ts';
import { board } from './texts/board.ts';
import { feed } from './texts/feed.ts';
import { incidents } from './texts/incidents.ts';
import { maintenance } from './texts/maintenance.ts';
import { market } from './texts/market.ts';
import { pages } from './texts/pages.ts';
import { parts } from './texts/parts.ts';
import { record } from './texts/record.ts';
import { shell } from './texts/shell.ts';
import { terms } from './texts/terms.ts';

/** Texts of the console by their English. What `{name}` and `<name>` stand for is the same in both. */
export const czech = {
  ...shell,
  ...parts,
  ...board,
  ...access,
  ...record,
  ...maintenance,
  ...incidents,
  ...terms,
  ...feed,
  ...pages,
  ...market,
};
