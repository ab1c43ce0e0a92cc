import type { EpochMs } from '../clock.ts';
import { html, trusted } from '../html.ts';
import type { NoticeFigures } from '../store/notices.ts';
import type { MailBody } from './message.ts';

/** A mail before it has a sender and a recipient. */
export type NoticeMail = Required<MailBody>;

/** The text's words about the service and its rule. */
export interface NoticePlace {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** No other notice about the key comes sooner. */
  readonly atMostEveryMs: number;
}

const labelLengthMax = 100;
const minuteMs = 60_000;

/** The mail to the holder of a key that was refused in several minutes (contract, Limits, rule 3), as plain text and HTML. */
export function breachMail(figures: NoticeFigures, place: NoticePlace): NoticeMail {
  const parts = partsOf(figures, place);
  const subject = `API key ${parts.key} exceeds its limit of ${counted(figures.limitPerMinute, 'request')} per minute`;
  return { subject, text: textBody(parts), html: htmlBody(parts) };
}

function partsOf(figures: NoticeFigures, place: NoticePlace) {
  return {
    key: keyName(figures),
    facts: factsOf(figures),
    minutes: figures.minutes.map(({ startMs, refused }) => [minuteText(startMs), counted(refused, 'request')] as const),
    /** Minutes that are not listed. */
    left: figures.breachedMinutes - figures.minutes.length,
    limitsUrl: `${place.baseUrl}/docs#limits`,
    place,
  };
}

type Parts = ReturnType<typeof partsOf>;

/** The key as its holder knows it: the label, if it has one, and the last four characters. */
function keyName({ label, lastFour }: Pick<NoticeFigures, 'label' | 'lastFour'>): string {
  const named = oneLine(label).slice(0, labelLengthMax).trim();
  const ending = `ending in ${oneLine(lastFour)}`;
  return named === '' ? ending : `"${named}" ${ending}`;
}

/** Other programs write labels too: none may begin a header, a line or another direction of writing. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').replaceAll(/\s+/g, ' ');
}

const greeting = 'Hello,';

const advice = [
  'After an answer with status 429 wait as many seconds as its Retry-After header says, then ask again.',
  'The headers X-RateLimit-Remaining and X-RateLimit-Reset of every answer say how many requests are left and until when.',
  'Ask for /v1/tickers once instead of /v1/ticker for each market: it has them all, and every 5 seconds is enough.',
  'All programs that use the same key share its limit. Give each program a key of its own.',
  'If these requests are not yours, somebody else may know the key: revoke it and create a new one.',
] as const;

function factsOf(figures: NoticeFigures): string {
  const { breachedMinutes, requestsRefused, limitPerMinute, firstMinuteMs, lastMinuteMs } = figures;
  const span =
    firstMinuteMs === lastMinuteMs
      ? `at ${minuteText(firstMinuteMs)}`
      : `between ${minuteText(firstMinuteMs)} and ${minuteText(lastMinuteMs + minuteMs)}`;
  const refused = `${counted(requestsRefused, 'request')} with it ${requestsRefused === 1 ? 'was' : 'were'} refused`;
  const limit = counted(limitPerMinute, 'request');
  return `The limit of the key is ${limit} per minute. ${refused} (status 429) in ${counted(breachedMinutes, 'minute')} ${span}, because it was used up:`;
}

function textBody({ key, facts, minutes, left, limitsUrl, place }: Parts): string {
  const rows = minutes.map(([minute, refused]) => `  ${minute}   ${refused} refused`);
  return [
    greeting,
    '',
    `This is about your API key ${key} for ${place.baseUrl}.`,
    '',
    facts,
    '',
    ...rows,
    ...(left > 0 ? [`  and ${counted(left, 'earlier minute')}`] : []),
    '',
    'Requests within the limit were answered as always; the key continues to work.',
    '',
    'What to do:',
    ...advice.map((line) => `- ${line}`),
    '',
    `The limits: ${limitsUrl}`,
    '',
    '-- ',
    footer(place),
    '',
  ].join('\n');
}

function htmlBody({ key, facts, minutes, left, limitsUrl, place }: Parts): string {
  const cell = trusted('style="padding:2px 16px 2px 0"');
  const rows = minutes.map(
    ([minute, refused]) => html`<tr><td ${cell}>${minute}</td><td ${cell}>${refused} refused</td></tr>`,
  );
  const more = left > 0 ? html`<p>and ${counted(left, 'earlier minute')}</p>` : undefined;
  const items = advice.map((line) => html`<li>${line}</li>`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API key ${key}</title></head>
<body style="font-family:sans-serif;line-height:1.5;max-width:40em">
<p>${greeting}</p>
<p>This is about your API key <strong>${key}</strong> for ${place.baseUrl}.</p>
<p>${facts}</p>
<table style="border-collapse:collapse">${rows}</table>
${more}<p>Requests within the limit were answered as always; the key continues to work.</p>
<p>What to do:</p>
<ul>${items}</ul>
<p><a href="${limitsUrl}">The limits</a></p>
<hr><p style="font-size:small">${footer(place)}</p>
</body></html>
`.text;
}

function footer({ atMostEveryMs }: NoticePlace): string {
  return `This message was sent automatically. There is at most one about each key in ${spanText(atMostEveryMs)}.`;
}

/** `2026-11-21 10:03 UTC` */
function minuteText(startMs: number): string {
  return `${new Date(startMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function spanText(spanMs: number): string {
  const hours = spanMs / 3_600_000;
  return Number.isInteger(hours) ? counted(hours, 'hour') : counted(Math.round(spanMs / minuteMs), 'minute');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
