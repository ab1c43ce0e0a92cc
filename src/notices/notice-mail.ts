import type { EpochMs } from '../ground/clock.ts';
import { html, trusted } from '../ground/html.ts';
import type { Language } from '../ground/languages.ts';
import { zonedTime } from '../ground/zoned-time.ts';
import type { NoticeFigures } from '../store/notices.ts';
import { type MailBody, signatureMark } from './message.ts';
import { type NoticeWords, noticeWords } from './notice-words.ts';

/** A mail before it has a sender and a recipient. */
export type NoticeMail = Required<Pick<MailBody, 'subject' | 'text' | 'html'>>;

/** The text's words about the service and its rule. */
export interface NoticePlace {
  /** The operator's name; `undefined` where it has none. */
  readonly name?: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** No other notice about the key comes sooner. */
  readonly atMostEveryMs: number;
  /** Holds for holders whose account has none. */
  readonly language: Language;
  /** That of instants; UTC when left out. */
  readonly timeZone?: string | undefined;
}

const labelLengthMax = 100;
const minuteMs = 60_000;

/**
 * The mail to the holder of a key that was refused in several minutes (contract, Limits, rule 3), as plain text and as
 * HTML.
 *
 * @param language of the holder, where its account has one
 */
export function breachMail(figures: NoticeFigures, place: NoticePlace, language = place.language): NoticeMail {
  const parts = partsOf(figures, place, language);
  const { key, words, limit } = parts;
  return { subject: words.subject({ key, limit }), text: textBody(parts), html: htmlBody(parts, language) };
}

function partsOf(figures: NoticeFigures, place: NoticePlace, language: Language) {
  const { name, baseUrl, atMostEveryMs, timeZone } = place;
  const minuteIn = (startMs: number) => minuteText(startMs, language, timeZone);
  const words = noticeWords[language];
  const key = keyName(figures, words);
  const limit = words.requests(figures.limitPerMinute);
  const { breachedMinutes } = figures;
  const left = breachedMinutes - figures.minutes.length;
  const refused = words.refused(figures.requestsRefused);
  const minutes = words.minutes(breachedMinutes);
  return {
    words,
    key,
    limit,
    about: words.about({ key, service: name === undefined ? baseUrl : `${oneLine(name)} (${baseUrl})` }),
    facts: words.facts({ limit, refused, minutes, span: spanOf(figures, words, minuteIn) }),
    minutes: figures.minutes.map(
      (minute) => [minuteIn(minute.startMs), words.refusedInMinute(minute.refused)] as const,
    ),
    /** Minutes that are not listed. */
    left: left > 0 ? words.left(left) : undefined,
    limitsUrl: `${baseUrl}${words.limitsPath}`,
    footer: words.footer({ span: intervalOf(atMostEveryMs, words) }),
  };
}

type Parts = ReturnType<typeof partsOf>;

/** When the key was refused. */
function spanOf(
  { firstMinuteMs, lastMinuteMs }: NoticeFigures,
  words: NoticeWords,
  minuteIn: (startMs: number) => string,
): string {
  const from = minuteIn(firstMinuteMs);
  if (firstMinuteMs === lastMinuteMs) return words.at({ from });
  return words.between({ from, to: minuteIn(lastMinuteMs + minuteMs) });
}

/** In whole hours where it is some. */
function intervalOf(intervalMs: number, words: NoticeWords): string {
  const hours = intervalMs / 3_600_000;
  return Number.isInteger(hours) ? words.hourSpan(hours) : words.minuteSpan(Math.round(hours * 60));
}

/** The key as its holder knows it: the label, if it has one, and the last four characters. */
function keyName(figures: Pick<NoticeFigures, 'label' | 'lastFour'>, words: NoticeWords): string {
  const label = oneLine(figures.label).slice(0, labelLengthMax).trim();
  const lastFour = oneLine(figures.lastFour);
  return label === '' ? words.unlabelled({ lastFour }) : words.labelled({ label, lastFour });
}

/** Other programs write labels too: none may begin a header, a line or another direction of writing. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').replaceAll(/\s+/g, ' ');
}

function textBody({ words, about, facts, minutes, left, limitsUrl, footer }: Parts): string {
  const rows = minutes.map(([minute, refused]) => `  ${minute}   ${refused}`);
  return [
    words.greeting,
    '',
    about,
    '',
    facts,
    '',
    ...rows,
    ...(left === undefined ? [] : [`  ${left}`]),
    '',
    words.served,
    '',
    words.whatToDo,
    ...words.advice.map((line) => `- ${line}`),
    '',
    `${words.limits}: ${limitsUrl}`,
    '',
    signatureMark,
    footer,
    '',
  ].join('\n');
}

function htmlBody(parts: Parts, language: Language): string {
  const { words, key, about, facts, minutes, left, limitsUrl, footer } = parts;
  const cell = trusted('style="padding:2px 16px 2px 0"');
  const rows = minutes.map(([minute, refused]) => html`<tr><td ${cell}>${minute}</td><td ${cell}>${refused}</td></tr>`);
  const more = left === undefined ? undefined : html`<p>${left}</p>`;
  const items = words.advice.map((line) => html`<li>${line}</li>`);
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${key}</title></head>
<body style="font-family:sans-serif;line-height:1.5;max-width:40em">
<p>${words.greeting}</p>
<p>${about}</p>
<p>${facts}</p>
<table style="border-collapse:collapse">${rows}</table>
${more}<p>${words.served}</p>
<p>${words.whatToDo}</p>
<ul>${items}</ul>
<p><a href="${limitsUrl}">${words.limits}</a></p>
<hr><p style="font-size:small">${footer}</p>
</body></html>
`.text;
}

/** `2026-11-21 10:03 UTC`, `2026-11-21 11:03 CET` */
export function minuteText(startMs: number, language: Language, timeZone = 'UTC'): string {
  const { date, time, zone } = zonedTime(startMs, timeZone, language);
  return `${date} ${time.slice(0, 5)} ${zone}`;
}

/** Figures of no real key, for a preview and for a test of the mail server: three minutes before `now`. */
export function sampleFigures(now: EpochMs, limitPerMinute: number): NoticeFigures {
  const lastMinuteMs = now - (now % minuteMs) - minuteMs;
  const minutes = [12, 5, 0].map((before, index) => ({
    startMs: lastMinuteMs - before * minuteMs,
    refused: [41, 388, 112][index]!,
  }));
  return {
    label: 'trading bot',
    lastFour: 'x7Qa',
    limitPerMinute,
    breachedMinutes: minutes.length,
    requestsRefused: minutes.reduce((sum, { refused }) => sum + refused, 0),
    firstMinuteMs: minutes[0]!.startMs,
    lastMinuteMs,
    minutes,
  };
}
