import { czech } from './czech.ts';
import { wholeDuration } from './durations.ts';
import { openIncidentMeaning, type StateWords, silentMeaning, states } from './states.ts';

const isCzech = document.documentElement.lang === 'cs';

/** For dates and durations: that of the page, or in English pages whatever the reader prefers. */
const locale = isCzech ? 'cs' : undefined;

/** A text of these scripts in the language of the page. The English text is its own key. */
export function say(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = isCzech ? (czech[english] ?? english) : english;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** `3 hours 12 minutes`: the two largest units, rounded down. */
export function durationInWords(durationMs: number): string {
  return wholeDuration(isCzech ? 'cs' : 'en', durationMs) ?? say('less than a second');
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const local = new Intl.DateTimeFormat(locale, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
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

/** A state in the language of the page, and the class that colours it. */
export interface ShownState extends StateWords {
  readonly className: string;
}

const unrecognized = { word: 'Unrecognized', meaning: 'The service reports a state that this page does not know.' };

/**
 * The state that the summary names, of the whole service or of one component.
 *
 * @param isSilent no data arrives
 * @param isIncidentOpen people tell of an incident
 */
export function shownState(name: string, isSilent = false, isIncidentOpen = false): ShownState {
  const found = Object.entries(states).find(([, { indicator, component }]) => name === indicator || name === component);
  const [className, { word, meaning }] = found ?? ['unknown', unrecognized];
  if (isSilent && className === 'degraded') return { className, word: say(word), meaning: say(silentMeaning) };
  const isToldOfMore = isIncidentOpen && className === 'operational';
  return { className, word: say(word), meaning: say(isToldOfMore ? openIncidentMeaning : meaning) };
}
