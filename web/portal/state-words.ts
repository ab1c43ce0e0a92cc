import { locale, say } from './words.ts';

/** A state in words, and the class that colours it. */
export interface StateWords {
  readonly className: string;
  readonly word: string;
  readonly meaning: string;
}

const unrecognized: StateWords = {
  className: 'unknown',
  word: 'Unrecognized',
  meaning: 'The service reports a state that this page does not know.',
};

const overall: Readonly<Record<string, StateWords>> = {
  none: { className: 'operational', word: 'Operational', meaning: 'Everything works.' },
  minor: {
    className: 'degraded',
    word: 'Degraded',
    meaning: 'Prices are served, but their data arrives over the fallback instead of the live feed.',
  },
  major: {
    className: 'outage',
    word: 'Outage',
    meaning:
      'Market data is not arriving, or is too old to rely on. The last known prices are still served: check their timestamps.',
  },
  maintenance: {
    className: 'maintenance',
    word: 'Maintenance',
    meaning:
      'An announced maintenance window is running. Until it ends, every endpoint except GET /v1/status answers 503 SERVICE_MAINTENANCE.',
  },
};

const parts: Readonly<Record<string, keyof typeof overall>> = {
  operational: 'none',
  degraded_performance: 'minor',
  major_outage: 'major',
  under_maintenance: 'maintenance',
};

/** Of the whole service, by its indicator. */
export function overallWords(indicator: string): StateWords {
  const { className, word, meaning } = overall[indicator] ?? unrecognized;
  return { className, word: say(word), meaning: say(meaning) };
}

/** Of one component, by its status. */
export function partWords(status: string): StateWords {
  return overallWords(parts[status] ?? '');
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const local = new Intl.DateTimeFormat(locale, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});
const clockTime = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

/** An instant in the reader's own zone, with the zone's name. */
export function localInstant(epochMs: number): string {
  return local.format(epochMs);
}

/** The time of day; with the day where that is not today's. */
export function localTime(epochMs: number, nowMs: number): string {
  const time = clockTime.format(epochMs);
  return day.format(epochMs) === day.format(nowMs) ? time : `${day.format(epochMs)}, ${time}`;
}
