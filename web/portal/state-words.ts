import { type StateWords, stateWords } from './states.ts';
import { locale, say } from './words.ts';

/** A state in the language of the page, and the class that colours it. */
export interface ShownState extends StateWords {
  readonly className: string;
}

const unrecognized = { word: 'Unrecognized', meaning: 'The service reports a state that this page does not know.' };

/** The states by what the summary calls them: of the whole service, and of one component. */
const names: Readonly<Record<string, keyof typeof stateWords>> = {
  none: 'operational',
  operational: 'operational',
  minor: 'degraded',
  degraded_performance: 'degraded',
  major: 'outage',
  major_outage: 'outage',
  maintenance: 'maintenance',
  under_maintenance: 'maintenance',
};

/** The state that the summary names. */
export function shownState(name: string): ShownState {
  const state = names[name];
  const { word, meaning } = state === undefined ? unrecognized : stateWords[state];
  return { className: state ?? 'unknown', word: say(word), meaning: say(meaning) };
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
