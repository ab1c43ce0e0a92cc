import type { FoundCondition } from '../../generated/management-v1.d.ts';
import { type ConditionCode, conditions } from '../czech/conditions.ts';
import { type Language, language } from '../language.ts';
import { withLocalTimes } from './time.ts';

type SaidInCzech = Readonly<Record<string, ((values: FoundCondition['values']) => string) | undefined>>;

/**
 * A condition in the language of the page: in Czech made from its code and values. One that has no code, as of an older version, or one that this
 * console does not know, is shown in the English of the service.
 */
export function conditionText(english: string, condition: FoundCondition | null, of: Language = language): string {
  const said = (conditions as { readonly [Code in ConditionCode]: unknown } as SaidInCzech)[condition?.code ?? ''];
  if (of === 'en' || condition === null || said === undefined) return withLocalTimes(english);
  return said(condition.values);
}
