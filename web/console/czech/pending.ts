import type { PendingList } from '../../generated/management-v1.d.ts';

type Reason = PendingList['reason'];

const sentences: Readonly<Record<Reason, (count: number) => string>> = {
  growth: (count) => `najednou uvádí tolik nových trhů: ${count}; čekají na operátora`,
  over_maximum: (count) => `trhů nad markets.max: ${count}; nenabízejí se`,
  incomplete: (count) => `seznamu chybí tolik trhů: ${count}; považuje se za neúplný`,
  loss: (count) => `na vyřazení čeká tolik chybějících trhů: ${count}`,
};

const remedies: Readonly<Partial<Record<Reason, string>>> = {
  over_maximum: 'Mají-li se nabízet, zvyšte markets.max.',
  incomplete: 'Skončí to samo druhým ze dvou stejných seznamů, nebo takovým, kterému chybí méně.',
};

/** What waits of a source's list, in Czech. */
export function pendingText(reason: Reason, count: number): string {
  return sentences[reason](count);
}

/** What helps where nothing can be decided, in Czech. */
export function remedyText(reason: Reason): string {
  return remedies[reason] ?? '';
}
