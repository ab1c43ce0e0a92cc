import type { Language } from './languages.ts';

/** An instant as calendar and clock of a time zone show it. */
export interface ZonedTime {
  /** `2026-11-21` */
  readonly date: string;
  /** `11:00:00` */
  readonly time: string;
  /** The zone as people of the language call it at that instant: `CET`, in Czech `SEČ`. */
  readonly zone: string;
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', cs: 'cs' };
/** Kept, as making one takes longer than the rest of a page. */
const names = new Map<string, Intl.DateTimeFormat>();

/** Reads an instant in a time zone. @param timeZone an IANA name, such as `Europe/Prague` */
export function zonedTime(epochMs: number, timeZone: string, language: Language): ZonedTime {
  const zoned = Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(timeZone);
  return {
    date: zoned.toPlainDate().toString(),
    time: zoned.toPlainTime().toString({ smallestUnit: 'second' }),
    zone: zoneName(epochMs, timeZone, language),
  };
}

function zoneName(epochMs: number, timeZone: string, language: Language): string {
  const key = `${language} ${timeZone}`;
  const format =
    names.get(key) ?? new Intl.DateTimeFormat(locales[language], { timeZone, timeZoneName: 'short', hour: 'numeric' });
  names.set(key, format);
  return format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
