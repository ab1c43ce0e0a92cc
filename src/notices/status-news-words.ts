import type { Language } from '../ground/languages.ts';
import type { IncidentState } from '../store/incident-tables.ts';
import { signatureMark } from './message.ts';

/** A text with the values that it shows. */
type Text<Values> = (values: Values) => string;

/** The words to subscribers, and the pages that the messages lead to. */
export interface NewsWords {
  readonly paths: { readonly status: string; readonly confirm: string; readonly end: string };
  /** The words of the states, the same as on the status page. */
  readonly reported: Readonly<Record<'outage' | 'degraded', string>>;
  /** Says what happened, by what was found of which part of the service. */
  readonly troubles: Readonly<Record<'outage' | 'degraded', Readonly<Record<'api' | 'market-data', string>>>>;
  readonly incidents: Readonly<Record<IncidentNewsType, Text<{ readonly state: string; readonly trouble: string }>>>;
  readonly windows: Readonly<Record<WindowNewsType, Text<{ readonly description: string }>>>;
  /** Subjects of incidents that people wrote. */
  readonly written: Readonly<Record<WrittenNewsType, Text<{ readonly title: string; readonly state: string }>>>;
  readonly states: Readonly<Record<IncidentState, string>>;
  /** From when to when; since when of what lasts. */
  readonly span: Text<{ readonly from: string; readonly to: string }>;
  readonly since: Text<{ readonly from: string }>;
  readonly news: Text<{
    readonly title: string;
    /** The words of a person. */
    readonly text?: string;
    readonly span: string;
    readonly service: string;
    readonly statusUrl: string;
    readonly endUrl: string;
  }>;
  readonly confirmSubject: Text<{ readonly service: string }>;
  readonly confirmText: Text<{ readonly service: string; readonly confirmUrl: string }>;
}

export type IncidentNewsType = 'incident.begun' | 'incident.updated' | 'incident.ended';
/** An update, and what was learnt afterwards. */
export type WrittenNewsType = 'incident.posted' | 'incident.reviewed';
export type WindowNewsType =
  | 'maintenance.announced'
  | 'maintenance.changed'
  | 'maintenance.begun'
  | 'maintenance.ended'
  | 'maintenance.cancelled';

const inEnglish: NewsWords = {
  paths: { status: '/status', confirm: '/status/confirm', end: '/status/unsubscribe' },
  reported: { outage: 'Outage', degraded: 'Degraded' },
  troubles: {
    outage: { api: 'The service was not running', 'market-data': 'No market data arrives' },
    degraded: { api: 'The service is degraded', 'market-data': 'Market data is degraded' },
  },
  incidents: {
    'incident.begun': ({ state, trouble }) => `${state}: ${trouble}`,
    'incident.updated': ({ state, trouble }) => `Now ${state.toLowerCase()}: ${trouble}`,
    'incident.ended': ({ state, trouble }) => `Over: ${trouble} (${state.toLowerCase()})`,
  },
  windows: {
    'maintenance.announced': ({ description }) => `Maintenance announced: ${description}`,
    'maintenance.changed': ({ description }) => `Maintenance changed: ${description}`,
    'maintenance.begun': ({ description }) => `Maintenance has begun: ${description}`,
    'maintenance.ended': ({ description }) => `Maintenance is over: ${description}`,
    'maintenance.cancelled': ({ description }) => `Maintenance cancelled: ${description}`,
  },
  written: {
    'incident.posted': ({ title, state }) => `${state}: ${title}`,
    'incident.reviewed': ({ title }) => `Review: ${title}`,
  },
  states: {
    investigating: 'Investigating',
    identified: 'Cause identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  span: ({ from, to }) => `From ${from} to ${to}.`,
  since: ({ from }) => `Since ${from}.`,
  news: ({ title, text, span, service, statusUrl, endUrl }) => `${title}

${
  text === undefined
    ? ''
    : `${text}

`
}${span}

Status: ${statusUrl}

${signatureMark}
You receive this because you subscribed to the status updates of
${service}. Unsubscribe: ${endUrl}
`,
  confirmSubject: ({ service }) => `Please confirm: status updates of ${service}`,
  confirmText: ({ service, confirmUrl }) => `Hello,

somebody, perhaps you, asked for status updates of ${service}
to be sent to this address: incidents and maintenance.

To get them, open this page within 24 hours and press the button:
${confirmUrl}

If it was not you, do nothing, and nothing more will be sent.

${signatureMark}
This message was sent automatically.
`,
};

const inCzech: NewsWords = {
  paths: { status: '/cs/status', confirm: '/cs/status/confirm', end: '/cs/status/unsubscribe' },
  reported: { outage: 'Výpadek', degraded: 'Omezený provoz' },
  troubles: {
    outage: { api: 'Služba neběžela', 'market-data': 'Tržní data nepřicházejí' },
    degraded: { api: 'Služba má potíže', 'market-data': 'Tržní data mají potíže' },
  },
  incidents: {
    'incident.begun': ({ state, trouble }) => `${state}: ${trouble}`,
    'incident.updated': ({ state, trouble }) => `Nově ${state.toLowerCase()}: ${trouble}`,
    'incident.ended': ({ state, trouble }) => `Skončilo: ${trouble} (${state.toLowerCase()})`,
  },
  windows: {
    'maintenance.announced': ({ description }) => `Oznámena údržba: ${description}`,
    'maintenance.changed': ({ description }) => `Změna údržby: ${description}`,
    'maintenance.begun': ({ description }) => `Údržba začala: ${description}`,
    'maintenance.ended': ({ description }) => `Údržba skončila: ${description}`,
    'maintenance.cancelled': ({ description }) => `Údržba zrušena: ${description}`,
  },
  written: {
    'incident.posted': ({ title, state }) => `${state}: ${title}`,
    'incident.reviewed': ({ title }) => `Závěr: ${title}`,
  },
  states: {
    investigating: 'Zjišťujeme příčinu',
    identified: 'Příčina nalezena',
    monitoring: 'Sledujeme',
    resolved: 'Vyřešeno',
  },
  span: ({ from, to }) => `Od ${from} do ${to}.`,
  since: ({ from }) => `Od ${from}.`,
  news: ({ title, text, span, service, statusUrl, endUrl }) => `${title}

${
  text === undefined
    ? ''
    : `${text}

`
}${span}

Stav: ${statusUrl}

${signatureMark}
Tuto zprávu dostáváte, protože odebíráte zprávy o stavu služby
${service}. Zrušit odběr: ${endUrl}
`,
  confirmSubject: ({ service }) => `Potvrďte prosím: stav služby ${service}`,
  confirmText: ({ service, confirmUrl }) => `Dobrý den,

někdo, možná vy, požádal, aby na tuto adresu chodily zprávy o stavu služby ${service}:
o incidentech a údržbě.

Pokud je chcete dostávat, otevřete do 24 hodin tuto stránku a stiskněte tlačítko:
${confirmUrl}

Pokud jste to nebyli vy, nedělejte nic: nic dalšího nepřijde.

${signatureMark}
Tato zpráva byla odeslána automaticky.
`,
};

export const newsWords: Readonly<Record<Language, NewsWords>> = { en: inEnglish, cs: inCzech };
