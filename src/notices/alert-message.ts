import { hash } from 'node:crypto';
import type { AlertChange, AlertStep } from '../store/alerts.ts';
import { type MailBody, tagOf } from './message.ts';

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

/** Where people go from a message. */
export interface AlertPlaces {
  /** Where clients reach the service. */
  readonly service: string;
  /** Where operators reach the console, without a trailing slash. */
  readonly console: string;
  /** The name of the environment: `Test`. */
  readonly environment?: string | undefined;
}

/** A change of an alert with the parts that the messages have in common. */
interface Told extends AlertChange {
  readonly step: AlertStep;
  readonly service: string;
  readonly environment: string | undefined;
  readonly raised: string;
  /** `null` until it is over. */
  readonly ended: string | null;
  /** One line: `[warning] SourceLost: kraken`, after the name of the environment: `[Test] [warning] …`. */
  readonly head: string;
  /** The text that people read in a chat. */
  readonly text: string;
  /** The alerts of the console, where it is acknowledged after a sign-in. */
  readonly consoleUrl: string;
  /** Its section of the runbook; `null` of a test. */
  readonly runbookUrl: string | null;
}

type Keys = Pick<AlertDestination, 'secret' | 'chat'>;

/** The longest that PagerDuty takes. */
const titleLengthMax = 1_024;

const marks: Readonly<Record<AlertChange['severity'], string>> = { critical: '🔴', warning: '🟠', info: '🔵' };

/** The body that each kind of destination is sent, as JSON. */
const bodies: Readonly<Record<Exclude<AlertDestination['kind'], 'mail'>, (told: Told, keys: Keys) => object>> = {
  webhook: ({ step, ended, raised, service, environment = null, ...told }) => ({
    type: `alert.${step}`,
    timestamp: instantOf(step, told),
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
      isStill: told.isStill ?? false,
      repeats: told.repeats ?? 0,
      service,
      environment,
      consoleUrl: told.consoleUrl,
      runbookUrl: told.runbookUrl,
    },
  }),
  // Its markup has these three characters alone.
  slack: ({ text }) => ({ text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }),
  telegram: ({ severity, text }, { chat }) => ({ chat_id: chat, text, disable_notification: severity === 'info' }),
  pagerduty: ({ ended, raised, service, environment, ...told }, { secret }) => {
    // The same in every process: what two of them tell without their store is one incident.
    const dedup = hash('sha256', JSON.stringify([service, told.name, told.subject])).slice(0, 32);
    const incident = { routing_key: secret, dedup_key: dedup };
    if (ended !== null) return { ...incident, event_action: 'resolve' };
    return {
      ...incident,
      event_action: 'trigger',
      payload: {
        summary: `${tagOf(environment)}${told.name}: ${told.summary}`.slice(0, titleLengthMax),
        source: service,
        severity: told.severity,
        timestamp: raised,
        component: told.subject,
        group: told.event,
        class: told.name,
      },
      client: 'Market Data API',
      client_url: told.consoleUrl,
      ...(told.runbookUrl === null ? {} : { links: [{ href: told.runbookUrl, text: 'Runbook' }] }),
    };
  },
};

/** Gives the JSON that tells an alert to a destination. */
export function alertBody(
  { kind, ...keys }: Keys & { readonly kind: keyof typeof bodies },
  change: AlertChange,
  places: AlertPlaces,
): object {
  return bodies[kind](toldOf(change, places), keys);
}

/** Gives the mail that tells an alert. */
export function alertMail(change: AlertChange, places: AlertPlaces): MailBody {
  const { head, text, id } = toldOf(change, places);
  return { subject: head, text: `${text}\n\nAlert ${id}\n` };
}

function toldOf(change: AlertChange, { service, console, environment }: AlertPlaces): Told {
  const { severity, name, subject, summary, raisedAt, endedAt, event } = change;
  const raised = new Date(raisedAt).toISOString();
  const ended = endedAt === undefined ? null : new Date(endedAt).toISOString();
  const step = change.step ?? (ended === null ? 'raised' : 'ended');
  const isTest = event === 'test';
  const links = {
    consoleUrl: `${console}/console/#/alerts`,
    runbookUrl: isTest ? null : `${console}/runbook#${name.toLowerCase()}`,
  };
  const shared = { ...change, ...links, service, environment, step, raised, ended };
  const tag = tagOf(environment);
  const runbook = links.runbookUrl === null ? [] : [`Runbook: ${links.runbookUrl}`];
  if (ended !== null) {
    const head = `${tag}[ended] ${name}: ${subject}`;
    const text = [`✅ ${head}`, summary, `from ${raised} to ${ended}, ${service}`, ...runbook].join('\n');
    return { ...shared, head, text };
  }
  const head = `${tag}[${severity}] ${name}: ${subject}${heads[step](change)}`;
  const acknowledge = isTest || severity === 'info' ? [] : [`Acknowledge (signed in): ${links.consoleUrl}`];
  const lines = [`${marks[severity]} ${head}`, summary, `since ${raised}, ${service}`, ...runbook, ...acknowledge];
  return { ...shared, head, text: lines.join('\n') };
}

/** The end of the first line of a message, by step. */
const heads: Readonly<Record<AlertStep, (change: AlertChange) => string>> = {
  raised: ({ isStill }) => (isStill === true ? ', still' : ''),
  repeated: () => ', not acknowledged, still',
  escalated: () => ', not acknowledged',
  ended: () => '',
};

function instantOf(step: AlertStep, { raisedAt, toldAt, escalatedAt, endedAt }: AlertChange): string {
  const instants = { raised: raisedAt, repeated: toldAt, escalated: escalatedAt, ended: endedAt };
  return new Date(instants[step] ?? raisedAt).toISOString();
}
