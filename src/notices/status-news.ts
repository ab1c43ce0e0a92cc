import { type HistoryComponent, type Incident, reportedState } from '../board/status-history.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Language } from '../ground/languages.ts';
import type { IncidentRecord } from '../store/incidents.ts';
import type { Store } from '../store/store.ts';
import type { WindowRecord } from '../store/windows.ts';
import type { MailBody } from './message.ts';
import { minuteText, type NoticePlace, oneLine } from './notice-mail.ts';
import {
  type IncidentNewsType,
  type NewsWords,
  newsWords,
  type WindowNewsType,
  type WrittenNewsType,
} from './status-news-words.ts';

type StoredIncident = Awaited<ReturnType<Store['statusRecords']['incidents']>>[number];

/** An event of an incident or a maintenance window, as it is kept until it is sent. */
export type StatusNews = IncidentNews | WindowNews | WrittenNews;

interface News {
  /** The id of the incident or window. */
  readonly id: string;
  readonly fromMs: number;
  /** `null` while it lasts. */
  readonly toMs: number | null;
  /** Its name among the events of the incident or window: each is told only once. */
  readonly key: string;
}

interface IncidentNews extends News {
  readonly type: IncidentNewsType;
  /** The worst that the status said until then: what clients saw. */
  readonly state: StoredIncident['state'];
  /** The state that was found: `outage` if nothing arrived or ran. Former versions left it out: it was `state`. */
  readonly found?: StoredIncident['state'];
  readonly component: HistoryComponent;
}

interface WindowNews extends News {
  readonly type: WindowNewsType;
  /** The operator's own words. */
  readonly description: string;
}

/** The words of a person, in English, and in Czech where it was written. */
interface WrittenNews extends News {
  readonly type: WrittenNewsType;
  readonly state: IncidentRecord['state'];
  readonly parts: IncidentRecord['parts'];
  readonly incident: Wording;
  readonly text: Wording;
}

interface Wording {
  readonly en: string;
  readonly cs?: string | undefined;
}

/** A review is read on the page. */
const reviewShownMax = 1_000;
/** Until then another incident may go on from one that is over: it is one when it has lasted a minute. */
const settledAfterMs = 90_000;
/** Events of longer ago are not told any more. */
export const tellWithinMs = 86_400_000;

/**
 * Gives what is to be told of found incidents, however much of it was told. One that goes on from another changes it,
 * which does not end then; nor does one of which people have told that it is resolved. That no data arrives changes
 * once it has lasted: it is an outage for clients then.
 *
 * @param known the ids of those of which something was told
 */
export function incidentNews(
  incidents: readonly StoredIncident[],
  written: readonly IncidentRecord[],
  known: ReadonlySet<string>,
  now: EpochMs,
): IncidentNews[] {
  const goesOn = (from: StoredIncident, to: StoredIncident) =>
    from !== to && from.component === to.component && from.from <= to.from && (from.to ?? 0) >= to.from;
  return incidents.flatMap((each): IncidentNews[] => {
    // The status recorder, which alone writes incidents, knows no other parts.
    const incident = each as Incident;
    const { id, component, state: found, from, to = null } = incident;
    const state = reportedState(incident, now);
    const shared = { id, state, found, component, fromMs: from, toMs: to };
    const isOutage = state === 'outage' && component === 'market-data';
    const isUpdate = (isOutage && known.has(id)) || incidents.some((other) => goesOn(other, each));
    if (to === null) {
      const type = isUpdate ? 'incident.updated' : 'incident.begun';
      return [{ ...shared, type, key: isOutage ? 'outage' : 'begun' }];
    }
    const isChanging = now - to < settledAfterMs || incidents.some((other) => goesOn(each, other));
    const isResolved = written.some((other) => other.id === id && other.state === 'resolved');
    return isChanging || isResolved ? [] : [{ ...shared, type: 'incident.ended', key: 'ended' }];
  });
}

/** Gives what people wrote lately: each update, and the first review; the oldest first. */
export function writtenNews(incidents: readonly IncidentRecord[], now: EpochMs): WrittenNews[] {
  return incidents.flatMap((incident) => {
    const { id, state, parts, from, to = null, title, titleCs, review, reviewCs, reviewedAt } = incident;
    const shared = { id, parts, incident: { en: title, cs: titleCs }, fromMs: from, toMs: to };
    const isLate = (at: number) => now - at > tellWithinMs;
    const updates = incident.updates
      .toReversed()
      .filter(({ at }) => !isLate(at))
      .map((update): WrittenNews => {
        const text = { en: update.text, cs: update.textCs };
        const toMs = update.state === 'resolved' ? to : null;
        return { ...shared, type: 'incident.posted', key: `update ${update.number}`, state: update.state, text, toMs };
      });
    if (review === undefined || reviewedAt === undefined || isLate(reviewedAt)) return updates;
    const text = { en: beginningOf(review), cs: reviewCs && beginningOf(reviewCs) };
    return [...updates, { ...shared, type: 'incident.reviewed', key: 'review', state, text }];
  });
}

function beginningOf(text: string): string {
  return text.length <= reviewShownMax ? text : `${text.slice(0, reviewShownMax).trimEnd()} …`;
}

/** Gives what is to be told of windows. @param known the ids of those of which something was told */
export function windowNews(windows: readonly WindowRecord[], known: ReadonlySet<string>, now: EpochMs): WindowNews[] {
  return windows.flatMap(({ id, description, from, to, createdAt, endedAt, cancelledAt }) => {
    const shared = { id, description: oneLine(description), fromMs: from, toMs: to };
    const tell = (type: WindowNewsType, key: string): WindowNews => ({ ...shared, type, key });
    const isOver = endedAt !== undefined || to <= now;
    if (isOver || cancelledAt !== undefined) {
      if (!known.has(id) || now - (cancelledAt ?? to) > tellWithinMs) return [];
      return [isOver ? tell('maintenance.ended', 'ended') : tell('maintenance.cancelled', 'cancelled')];
    }
    // One that begins as it is announced gets one message, not two.
    const isSudden = createdAt >= from;
    const first = isSudden ? 'maintenance.begun' : 'maintenance.announced';
    const until = tell(known.has(id) ? 'maintenance.changed' : first, `until ${to}`);
    return from > now || isSudden ? [until] : [until, tell('maintenance.begun', 'begun')];
  });
}

export type NewsPlace = Pick<NoticePlace, 'name' | 'baseUrl' | 'timeZone'>;

/** The message that asks whoever reads it to confirm, or tells an event with a link that ends the subscription. */
export function newsMessage(news: StatusNews | undefined, token: string, language: Language, place: NewsPlace) {
  const words = newsWords[language];
  const name = oneLine(place.name ?? '');
  const service = name === '' ? place.baseUrl : `${name} (${place.baseUrl})`;
  const urlOf = (path: string) => `${place.baseUrl}${path}`;
  if (news === undefined) {
    const confirmUrl = `${urlOf(words.paths.confirm)}?token=${token}`;
    const text = words.confirmText({ service, confirmUrl });
    const mail: MailBody = { subject: words.confirmSubject({ service }), text };
    return { mail, body: { type: 'subscription.confirm', data: { confirmUrl } } };
  }
  const statusUrl = urlOf(words.paths.status);
  const endUrl = `${urlOf(words.paths.end)}?token=${token}`;
  const title = titleOf(news, words, language);
  const written = 'text' in news ? { text: wordsIn(news.text, language) } : {};
  const minuteIn = (atMs: number) => minuteText(atMs, language, place.timeZone);
  const mail: MailBody = {
    subject: name === '' ? title : `${name}: ${title}`,
    text: words.news({ title, ...written, span: spanOf(news, words, minuteIn), service, statusUrl, endUrl }),
    // One click is enough (RFC 8058).
    headers: { 'List-Unsubscribe': `<${endUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
  const { type, key: _, ...data } = news;
  return { mail, body: { type, data: { ...data, ...written, title, statusUrl, endUrl } } };
}

function wordsIn({ en, cs = en }: Wording, language: Language): string {
  return language === 'cs' ? cs : en;
}

function titleOf(news: StatusNews, words: NewsWords, language: Language): string {
  if ('text' in news) {
    const title = oneLine(wordsIn(news.incident, language));
    return words.written[news.type]({ title, state: words.states[news.state] });
  }
  if ('component' in news) {
    const { type, state, found = state, component } = news;
    return words.incidents[type]({ state: words.reported[state], trouble: words.troubles[found][component] });
  }
  return words.windows[news.type]({ description: news.description });
}

function spanOf({ fromMs, toMs }: StatusNews, words: NewsWords, minuteIn: (atMs: number) => string): string {
  const from = minuteIn(fromMs);
  return toMs === null ? words.since({ from }) : words.span({ from, to: minuteIn(toMs) });
}
