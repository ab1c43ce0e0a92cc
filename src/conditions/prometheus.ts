import { Document, isMap, isSeq } from 'yaml';
import type { Condition, MeasuredCondition, Rule } from './condition.ts';
import { matters } from './list.ts';

const header = ` Alert rules for the Market Data API, made from src/conditions by "npm run generate": do not edit. Load
 them with rule_files in prometheus.yml.

 They treat each process by its own labels (job, instance). The job is called mdapi here, as in
 docs/operators/monitoring.md; only ServiceDown depends on that name. Processes that share a Redis have
 to be one job, and those of another Redis another one: FeedWithoutLeader and FeedLedTwice sum by job.

 severity: critical wakes somebody up, warning waits for working hours.
 runbook_url is a path in this repository. To make it a link, put the place where you read the
 repository in front of it:
   sed 's|runbook_url: docs/|runbook_url: https://git.example.com/mdapi/blob/main/docs/|' alerts.yml`;

/** The section of the runbook on a condition, as a path in the repository. */
function runbookSection(code: string): string {
  return `docs/runbook.md#${code.toLowerCase()}`;
}

type Declared = (Condition<object> | MeasuredCondition) & { readonly rule?: Rule };
type Ruled = readonly [code: string, declared: Declared & { readonly rule: Rule }];

/** Writes the rules file: every condition that can be told by metrics. */
export function prometheusRules(): string {
  const groups = Object.entries(matters).map(([matter, declared]) => {
    const ruled = Object.entries(declared).filter((entry): entry is [string, Ruled[1]] => entry[1].rule !== undefined);
    return { name: `mdapi-${matter}`, ruled };
  });
  const filled = groups.filter(({ ruled }) => ruled.length > 0);
  const document = new Document({ groups: filled.map(({ name, ruled }) => ({ name, rules: ruled.map(ruleOf) })) });
  document.commentBefore = header;
  for (const [index, { ruled }] of filled.entries()) {
    const rules = document.getIn(['groups', index, 'rules']);
    if (!isSeq(rules)) continue;
    for (const [position, rule] of rules.items.entries()) {
      if (!isMap(rule)) continue;
      rule.spaceBefore = position > 0;
      const comment = ruled[position]?.[1].rule.comment;
      if (comment !== undefined) rule.commentBefore = ` ${comment}`;
    }
  }
  return document.toString({ lineWidth: 0 });
}

function ruleOf([code, { severity, forMs, title, rule }]: Ruled) {
  return {
    alert: code,
    expr: rule.expr.includes('\n') ? `${rule.expr}\n` : rule.expr,
    ...(forMs > 0 && { for: duration(forMs) }),
    labels: { severity },
    annotations: {
      summary: rule.summary ?? title,
      description: rule.description,
      runbook_url: runbookSection(code),
    },
  };
}

/** `90s`, `5m` or `2h`: the largest unit that is whole. */
function duration(ms: number): string {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const [name, unitMs] = units.find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / unitMs}${name}`;
}
