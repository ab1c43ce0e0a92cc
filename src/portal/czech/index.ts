import { czech as scriptsInCzech } from '../../../web/portal/czech.ts';
import { contractInCzech } from './contract.ts';
import { errorsInCzech } from './errors.ts';
import { pagesInCzech } from './pages.ts';

/** Texts of the portal by their English. What `{name}` stands for is the same in both. */
export const czech: Readonly<Record<string, string>> = {
  ...scriptsInCzech,
  ...pagesInCzech,
  ...errorsInCzech,
  ...contractInCzech,
};
