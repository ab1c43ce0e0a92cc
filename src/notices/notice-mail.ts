import type { EpochMs } from '../ground/clock.ts';
import { filled } from '../ground/filled.ts';
import { html, trusted } from '../ground/html.ts';
import type { Language } from '../ground/languages.ts';
import type { NoticeFigures } from '../store/notices.ts';
import type { MailBody } from './message.ts';
import texts from './notice-mail.json' with { type: 'json' };

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
}

const labelLengthMax = 100;
const minuteMs = 60_000;

/** The forms of a text by how many there are, as `Intl.PluralRules` names them. */
interface Forms {
  readonly one: string;
  readonly few?: string;
  readonly other: string;
}

type CountedText = keyof (typeof texts)['en']['counted'];
type Words = Omit<(typeof texts)['en'], 'counted'> & { readonly counted: Readonly<Record<CountedText, Forms>> };

const wordsIn: Readonly<Record<Language, Words>> = texts;
const plurals = { en: new Intl.PluralRules('en'), cs: new Intl.PluralRules('cs') };

/**
 * The mail to the holder of a key that was refused in several minutes (contract, Limits, rule 3), as plain text and HTML.
 *
 * @param language of the holder, where its account has one
 */
export function breachMail(figures: NoticeFigures, place: NoticePlace, language = place.language): NoticeMail {
  const parts = partsOf(figures, place, language);
  const { key, words, limit } = parts;
  return { subject: filled(words.subject, { key, limit }), text: textBody(parts), html: htmlBody(parts, language) };
}

function partsOf(figures: NoticeFigures, { name, baseUrl, atMostEveryMs }: NoticePlace, language: Language) {
  const words = wordsIn[language];
  const counted = (what: CountedText, count: number) => {
    const forms = words.counted[what];
    return filled(forms[plurals[language].select(count) as keyof Forms] ?? forms.other, { count });
  };
  const key = keyName(figures, words);
  const limit = counted('limit', figures.limitPerMinute);
  const refused = counted('refused', figures.requestsRefused);
  const { breachedMinutes, firstMinuteMs, lastMinuteMs } = figures;
  const ends = { from: minuteText(firstMinuteMs), to: minuteText(lastMinuteMs + minuteMs) };
  const span = filled(firstMinuteMs === lastMinuteMs ? words.at : words.between, ends);
  const left = breachedMinutes - figures.minutes.length;
  const hours = atMostEveryMs / 3_600_000;
  const every = Number.isInteger(hours) ? counted('hourSpan', hours) : counted('minuteSpan', Math.round(hours * 60));
  return {
    words,
    key,
    limit,
    about: filled(words.about, { key, service: name === undefined ? baseUrl : `${oneLine(name)} (${baseUrl})` }),
    facts: filled(words.facts, { limit, span, refused, minutes: counted('minutes', breachedMinutes) }),
    minutes: figures.minutes.map(
      (minute) => [minuteText(minute.startMs), counted('refusedInMinute', minute.refused)] as const,
    ),
    /** Minutes that are not listed. */
    left: left > 0 ? counted('left', left) : undefined,
    limitsUrl: `${baseUrl}${words.limitsPath}`,
    footer: filled(words.footer, { span: every }),
  };
}

type Parts = ReturnType<typeof partsOf>;

/** The key as its holder knows it: the label, if it has one, and the last four characters. */
function keyName({ label, lastFour }: Pick<NoticeFigures, 'label' | 'lastFour'>, words: Words): string {
  const named = oneLine(label).slice(0, labelLengthMax).trim();
  const values = { label: named, lastFour: oneLine(lastFour) };
  return filled(named === '' ? words.unlabelled : words.labelled, values);
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
    '-- ',
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

/** `2026-11-21 10:03 UTC` */
export function minuteText(startMs: number): string {
  return `${new Date(startMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
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
