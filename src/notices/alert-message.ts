import type { AlertChange } from '../store/alerts.ts';
import type { MailBody } from './message.ts';

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

/** A change of an alert with the parts that the messages have in common. */
interface Told extends AlertChange {
  /** Where clients reach the service. */
  readonly service: string;
  readonly raised: string;
  /** `null` when it begins. */
  readonly ended: string | null;
  /** One line: `[warning] SourceLost: kraken`. */
  readonly head: string;
  /** The text that people read in a chat. */
  readonly text: string;
}

type Keys = Pick<AlertDestination, 'secret' | 'chat'>;

/** The longest that PagerDuty takes. */
const titleLengthMax = 1_024;

const marks: Readonly<Record<AlertChange['severity'], string>> = { critical: '🔴', warning: '🟠', info: '🔵' };

/** The body that each kind of destination is sent, as JSON. */
const bodies: Readonly<Record<Exclude<AlertDestination['kind'], 'mail'>, (told: Told, keys: Keys) => object>> = {
  webhook: ({ ended, raised, service, ...told }) => ({
    type: ended === null ? 'alert.raised' : 'alert.ended',
    timestamp: ended ?? raised,
    data: {
      id: told.id,
      name: told.name,
      subject: told.subject,
      event: told.event,
      severity: told.severity,
      summary: told.summary,
      values: told.values ?? {},
      raisedAt: raised,
      raisedAtMs: told.raisedAt,
      endedAt: ended,
      endedAtMs: told.endedAt ?? null,
      service,
    },
  }),
  // Its markup has these three characters alone.
  slack: ({ text }) => ({ text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }),
  telegram: ({ severity, text }, { chat }) => ({ chat_id: chat, text, disable_notification: severity === 'info' }),
  pagerduty: ({ ended, raised, service, ...told }, { secret }) => {
    const incident = { routing_key: secret, dedup_key: told.id };
    if (ended !== null) return { ...incident, event_action: 'resolve' };
    return {
      ...incident,
      event_action: 'trigger',
      payload: {
        summary: `${told.name}: ${told.summary}`.slice(0, titleLengthMax),
        source: service,
        severity: told.severity,
        timestamp: raised,
        component: told.subject,
        group: told.event,
        class: told.name,
      },
      client: 'Market Data API',
      client_url: service,
    };
  },
};

/** Gives the JSON that tells an alert to a destination. @param service where clients reach it */
export function alertBody(
  { kind, ...keys }: Keys & { readonly kind: keyof typeof bodies },
  change: AlertChange,
  service: string,
): object {
  return bodies[kind](toldOf(change, service), keys);
}

/** Gives the mail that tells an alert. @param service where clients reach it */
export function alertMail(change: AlertChange, service: string): MailBody {
  const { head, text, id } = toldOf(change, service);
  return { subject: head, text: `${text}\n\nAlert ${id}\n` };
}

function toldOf(change: AlertChange, service: string): Told {
  const { severity, name, subject, summary, raisedAt, endedAt } = change;
  const raised = new Date(raisedAt).toISOString();
  if (endedAt === undefined) {
    const head = `[${severity}] ${name}: ${subject}`;
    const text = `${marks[severity]} ${head}\n${summary}\nsince ${raised}, ${service}`;
    return { ...change, service, raised, ended: null, head, text };
  }
  const ended = new Date(endedAt).toISOString();
  const head = `[ended] ${name}: ${subject}`;
  const text = `✅ ${head}\n${summary}\nfrom ${raised} to ${ended}, ${service}`;
  return { ...change, service, raised, ended, head, text };
}
