import { filled } from '../ground/filled.ts';
import type { AlertChange } from '../store/alerts.ts';
import templates from './alert-templates.json' with { type: 'json' };

/** Where alerts go. All but name, kind and events is secret. */
export interface AlertDestination {
  readonly name: string;
  readonly kind: 'webhook' | 'slack' | 'telegram' | 'pagerduty' | 'mail';
  readonly url: string | undefined;
  /** Signs a webhook, or is the routing key of PagerDuty. */
  readonly secret: string | undefined;
  /** The chat, for Telegram. */
  readonly chat: string | undefined;
  /** The address of a mail. */
  readonly to: string | undefined;
  /** The kinds of things that it is told of. */
  readonly events: readonly string[];
}

/** The longest that PagerDuty takes. */
const titleLengthMax = 1_024;
const messages: Readonly<Record<string, object>> = templates.messages;

/** Gives what is sent to tell an alert, as JSON or as the parts of a mail. @param service where clients reach it */
export function alertMessage(
  { kind, secret, chat }: Pick<AlertDestination, 'kind' | 'secret' | 'chat'>,
  change: AlertChange,
  service: string,
): object {
  const { severity, name, summary, raisedAt, endedAt } = change;
  const state = endedAt === undefined ? 'raised' : 'ended';
  const isoOf = (atMs: number) => new Date(atMs).toISOString();
  const [raised, ended] = [isoOf(raisedAt), endedAt === undefined ? null : isoOf(endedAt)];
  const values: Record<string, unknown> = {
    ...change,
    state,
    service,
    chat,
    mark: templates.marks[severity],
    isQuiet: severity === 'info',
    raisedAt: raised,
    raisedAtMs: raisedAt,
    endedAt: ended,
    endedAtMs: endedAt ?? null,
    changedAt: ended ?? raised,
    title: `${name}: ${summary}`.slice(0, titleLengthMax),
  };
  values.head = shaped(templates.head[state], values);
  const text = String(shaped(templates.text[state], values));
  // Slack's markup has these alone.
  const escapedText = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const template = messages[`${kind} ${state}`] ?? messages[kind];
  return shaped(template, { ...values, text, escapedText, ...(kind === 'pagerduty' && { secret }) }) as object;
}

/** Puts values in their places. A text that is a place and nothing else becomes the value as it is. */
function shaped(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template);
    if (whole !== null) return values[whole[1]!];
    return filled(template, values);
  }
  return Object.fromEntries(Object.entries(template as object).map(([key, part]) => [key, shaped(part, values)]));
}
