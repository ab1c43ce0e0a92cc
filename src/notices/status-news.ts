import type { EpochMs } from '../ground/clock.ts';
import { filled } from '../ground/filled.ts';
import type { Language } from '../ground/languages.ts';
import type { Store } from '../store/store.ts';
import type { WindowRecord } from '../store/windows.ts';
import type { MailBody } from './message.ts';
import { minuteText, type NoticePlace, oneLine } from './notice-mail.ts';
import texts from './status-news.json' with { type: 'json' };

type StoredIncident = Awaited<ReturnType<Store['statusRecords']['incidents']>>[number];

/** An event of an incident or a maintenance window, as it is kept until it is sent. */
export interface StatusNews {
  readonly type: keyof (typeof texts)['en']['titles'];
  /** The id of the incident or window. */
  readonly id: string;
  /** The state and the part of the service, of an incident. */
  readonly state?: StoredIncident['state'];
  readonly component?: StoredIncident['component'];
  /** The operator's own words, of a window. */
  readonly description?: string;
  readonly fromMs: number;
  /** `null` while it lasts. */
  readonly toMs: number | null;
  /** Its name among the events of the incident or window: each is told only once. */
  readonly key: string;
}

/** Until then another incident may go on from one that is over: it is one when it has lasted a minute. */
const settledAfterMs = 90_000;
/** Events of longer ago are not told any more. */
export const tellWithinMs = 86_400_000;

/** Gives what is to be told of incidents, however much of it was told. One that goes on from another changes it, which does not end then. */
export function incidentNews(incidents: readonly StoredIncident[], now: EpochMs): StatusNews[] {
  const goesOn = (from: StoredIncident, to: StoredIncident) =>
    from !== to && from.component === to.component && from.from <= to.from && (from.to ?? 0) >= to.from;
  return incidents.flatMap((each): StatusNews[] => {
    const { id, component, state, from, to = null } = each;
    const shared = { id, state, component, fromMs: from, toMs: to };
    const isUpdate = incidents.some((other) => goesOn(other, each));
    if (to === null) return [{ ...shared, type: isUpdate ? 'incident.updated' : 'incident.begun', key: 'begun' }];
    const isChanging = now - to < settledAfterMs || incidents.some((other) => goesOn(each, other));
    return isChanging ? [] : [{ ...shared, type: 'incident.ended', key: 'ended' }];
  });
}

/** Gives what is to be told of windows. @param known the ids of those of which something was told */
export function windowNews(windows: readonly WindowRecord[], known: ReadonlySet<string>, now: EpochMs): StatusNews[] {
  return windows.flatMap(({ id, description, from, to, createdAt, endedAt, cancelledAt }) => {
    const shared = { id, description: oneLine(description), fromMs: from, toMs: to };
    const tell = (type: StatusNews['type'], key: string): StatusNews => ({ ...shared, type, key });
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

export type NewsPlace = Pick<NoticePlace, 'name' | 'baseUrl'>;

/** The message that asks whoever reads it to confirm, or tells an event with a link that ends the subscription. */
export function newsMessage(news: StatusNews | undefined, token: string, language: Language, place: NewsPlace) {
  const { troubles, titles, paths, ...words } = texts[language];
  const { baseUrl } = place;
  const name = oneLine(place.name ?? '');
  const linkUrl = `${baseUrl}${news === undefined ? paths.confirm : paths.end}?token=${token}`;
  const service = name === '' ? baseUrl : `${name} (${baseUrl})`;
  const values = { service, linkUrl, statusUrl: `${baseUrl}${paths.status}` };
  if (news === undefined) {
    const mail: MailBody = { subject: filled(words.confirm.subject, values), text: filled(words.confirm.text, values) };
    return { mail, body: { type: 'subscription.confirm', data: { confirmUrl: linkUrl } } };
  }
  const { type, key: _, ...data } = news;
  const { description, state, component, fromMs, toMs } = data;
  const trouble = troubles[`${state} ${component}` as keyof typeof troubles];
  const title = filled(titles[type], { trouble, description });
  const ends = { from: minuteText(fromMs), to: minuteText(toMs ?? 0) };
  const span = filled(toMs === null ? words.since : words.span, ends);
  const subject = name === '' ? title : `${name}: ${title}`;
  // One click is enough (RFC 8058).
  const headers = { 'List-Unsubscribe': `<${linkUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  const mail: MailBody = { subject, text: filled(words.news, { ...values, title, span }), headers };
  return { mail, body: { type, data: { ...data, title, statusUrl: values.statusUrl, endUrl: linkUrl } } };
}
