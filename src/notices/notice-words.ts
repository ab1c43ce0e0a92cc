import type { Language } from '../ground/languages.ts';

/** A text with the values that it shows. */
type Text<Values> = (values: Values) => string;
/** A text in the form that goes with a count. */
type Counted = (count: number) => string;

/** The words of the mail about a key that exceeds its limit. */
export interface NoticeWords {
  readonly subject: Text<{ readonly key: string; readonly limit: string }>;
  /** Names a key that has a label, and one that has none. */
  readonly labelled: Text<{ readonly label: string; readonly lastFour: string }>;
  readonly unlabelled: Text<{ readonly lastFour: string }>;
  readonly greeting: string;
  readonly about: Text<{ readonly key: string; readonly service: string }>;
  readonly facts: Text<{
    readonly limit: string;
    readonly refused: string;
    readonly minutes: string;
    readonly span: string;
  }>;
  /** When it was, in one minute and in several. */
  readonly at: Text<{ readonly from: string }>;
  readonly between: Text<{ readonly from: string; readonly to: string }>;
  readonly served: string;
  readonly whatToDo: string;
  readonly advice: readonly [wait: string, headers: string, lists: string, programs: string, others: string];
  readonly limits: string;
  /** Where the limits are explained. */
  readonly limitsPath: string;
  readonly footer: Text<{ readonly span: string }>;
  readonly requests: Counted;
  readonly refused: Counted;
  readonly refusedInMinute: Counted;
  readonly minutes: Counted;
  /** Minutes that are not listed. */
  readonly left: Counted;
  /** How long there is no other mail. */
  readonly hourSpan: Counted;
  readonly minuteSpan: Counted;
}

const englishRules = new Intl.PluralRules('en');
const czechRules = new Intl.PluralRules('cs');

function english(count: number, forms: Readonly<Record<'one' | 'other', string>>): string {
  return englishRules.select(count) === 'one' ? forms.one : forms.other;
}

function czech(count: number, forms: Readonly<Record<'one' | 'few' | 'other', string>>): string {
  const form = czechRules.select(count);
  return form === 'one' || form === 'few' ? forms[form] : forms.other;
}

const inEnglish: NoticeWords = {
  subject: ({ key, limit }) => `API key ${key} exceeds its limit of ${limit} per minute`,
  labelled: ({ label, lastFour }) => `"${label}" ending in ${lastFour}`,
  unlabelled: ({ lastFour }) => `ending in ${lastFour}`,
  greeting: 'Hello,',
  about: ({ key, service }) => `This is about your API key ${key} for ${service}.`,
  facts: ({ limit, refused, minutes, span }) =>
    `The limit of the key is ${limit} per minute. ${refused} (status 429) ${minutes} ${span}, because it was used up:`,
  at: ({ from }) => `at ${from}`,
  between: ({ from, to }) => `between ${from} and ${to}`,
  served: 'Requests within the limit were answered as always; the key continues to work.',
  whatToDo: 'What to do:',
  advice: [
    'After an answer with status 429 wait as many seconds as its Retry-After header says, then ask again.',
    'The headers X-RateLimit-Remaining and X-RateLimit-Reset of every answer say how many requests are left and until when.',
    'Ask for /v1/tickers once instead of /v1/ticker for each market: it has them all, and every 5 seconds is enough.',
    'All programs that use the same key share its limit. Give each program a key of its own.',
    'If these requests are not yours, somebody else may know the key: revoke it and create a new one.',
  ],
  limits: 'The limits',
  limitsPath: '/docs#limits',
  footer: ({ span }) => `This message was sent automatically. There is at most one about each key in ${span}.`,
  requests: (count) => english(count, { one: `${count} request`, other: `${count} requests` }),
  refused: (count) =>
    english(count, {
      one: `${count} request with it was refused`,
      other: `${count} requests with it were refused`,
    }),
  refusedInMinute: (count) => english(count, { one: `${count} request refused`, other: `${count} requests refused` }),
  minutes: (count) => english(count, { one: `in ${count} minute`, other: `in ${count} minutes` }),
  left: (count) => english(count, { one: `and ${count} earlier minute`, other: `and ${count} earlier minutes` }),
  hourSpan: (count) => english(count, { one: `${count} hour`, other: `${count} hours` }),
  minuteSpan: (count) => english(count, { one: `${count} minute`, other: `${count} minutes` }),
};

const inCzech: NoticeWords = {
  subject: ({ key, limit }) => `API klíč ${key} překračuje svůj limit ${limit} za minutu`,
  labelled: ({ label, lastFour }) => `„${label}“ s koncovkou ${lastFour}`,
  unlabelled: ({ lastFour }) => `s koncovkou ${lastFour}`,
  greeting: 'Dobrý den,',
  about: ({ key, service }) => `píšeme vám kvůli vašemu API klíči ${key} pro ${service}.`,
  facts: ({ limit, refused, minutes, span }) =>
    `Limit klíče je ${limit} za minutu. Protože byl vyčerpán, ${refused} (stav 429) ${minutes} ${span}:`,
  at: ({ from }) => `v ${from}`,
  between: ({ from, to }) => `mezi ${from} a ${to}`,
  served: 'Na požadavky v rámci limitu služba odpovídala jako vždy; klíč dál funguje.',
  whatToDo: 'Co s tím:',
  advice: [
    'Po odpovědi se stavem 429 počkejte tolik sekund, kolik udává její hlavička Retry-After, a pak se zeptejte znovu.',
    'Hlavičky X-RateLimit-Remaining a X-RateLimit-Reset každé odpovědi říkají, kolik požadavků zbývá a do kdy.',
    'Místo /v1/ticker pro každý trh se ptejte jednou na /v1/tickers: obsahuje všechny trhy a stačí každých 5 sekund.',
    'Všechny programy se stejným klíčem sdílejí jeho limit. Dejte každému programu vlastní klíč.',
    'Pokud tyto požadavky nejsou vaše, může klíč znát někdo jiný: zneplatněte ho a vytvořte nový.',
  ],
  limits: 'Limity',
  limitsPath: '/cs/docs#limits',
  footer: ({ span }) => `Tato zpráva byla odeslána automaticky. O každém klíči přijde nejvýše jedna za ${span}.`,
  requests: (count) =>
    czech(count, { one: `${count} požadavek`, few: `${count} požadavky`, other: `${count} požadavků` }),
  refused: (count) =>
    czech(count, {
      one: `byl ${count} požadavek odmítnut`,
      few: `byly ${count} požadavky odmítnuty`,
      other: `bylo ${count} požadavků odmítnuto`,
    }),
  refusedInMinute: (count) =>
    czech(count, {
      one: `odmítnut ${count} požadavek`,
      few: `odmítnuty ${count} požadavky`,
      other: `odmítnuto ${count} požadavků`,
    }),
  minutes: (count) =>
    czech(count, { one: `v ${count} minutě`, few: `ve ${count} minutách`, other: `v ${count} minutách` }),
  left: (count) =>
    czech(count, {
      one: `a ${count} dřívější minuta`,
      few: `a ${count} dřívější minuty`,
      other: `a ${count} dřívějších minut`,
    }),
  hourSpan: (count) => czech(count, { one: `${count} hodinu`, few: `${count} hodiny`, other: `${count} hodin` }),
  minuteSpan: (count) => czech(count, { one: `${count} minutu`, few: `${count} minuty`, other: `${count} minut` }),
};

export const noticeWords: Readonly<Record<Language, NoticeWords>> = { en: inEnglish, cs: inCzech };
