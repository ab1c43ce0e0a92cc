import type { AuditEntry } from '../../generated/management-v1.d.ts';
import { auditSentences } from '../czech/audit.ts';
import { language } from '../language.ts';
import { withLocalTimes } from './time.ts';

/** What an entry of the audit log says, in the language of the page as far as it has its details. */
export function auditText({ action, subject, details, summary }: AuditEntry, of = language): string {
  const said = of === 'cs' ? auditSentences[action]?.(details, subject.id) : undefined;
  return said ?? withLocalTimes(summary);
}
