import type { Approval } from '../../generated/management-v1.d.ts';

/** The values that a proposed change sets, by their names in the API. */
export const approvalValues: Readonly<Record<string, string>> = {
  fee: 'poplatek',
  margin: 'přirážka',
  precision: 'desetinná místa',
  rounding: 'zaokrouhlení',
  start: 'začátek',
  status: 'stav',
  rate: 'kurz',
  held: 'podržení kurzu',
};

/** What became of a proposed change. */
export const approvalStates: Readonly<Record<Approval['state'], string>> = {
  waiting: 'čeká',
  confirmed: 'potvrzeno',
  rejected: 'odmítnuto',
  withdrawn: 'vzato zpět',
  expired: 'propadlo',
};

/** What a proposed change does, before what it does it to. */
export const approvalActions: Readonly<Record<Approval['action'], string>> = {
  'term.set': 'podmínka pro',
  'term.cancel': 'zrušení podmínky',
  'market.delist': 'vyřazení trhu',
  'catalogue.delist': 'vyřazení trhů, které chybí na seznamu zdroje',
  'rate.accept': 'přijetí kurzu',
  'rate.release': 'uvolnění kurzu',
};
