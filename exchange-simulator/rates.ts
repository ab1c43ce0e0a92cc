import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../src/ground/clock.ts';
import type { FaultBoard } from './fault-board.ts';
import { numberOf, textOf } from './fault-request.ts';
import { json, type Reply, send, text } from './reply.ts';

const dayMs = 86_400_000;

export const cnbPath = '/cnbapi/exrates/daily?lang=EN';
export const ecbPath = '/stats/eurofxref/eurofxref-daily.xml';
export const jsonPath = '/rates/eurczk.json';

type Source = 'cnb' | 'ecb' | 'json';

/** The currencies of the fixing: country, name, how many units the rate is for, and CZK for that many. */
const fixing: readonly (readonly [country: string, currency: string, amount: number, code: string, rate: string])[] = [
  ['Australia', 'dollar', 1, 'AUD', '13.569'],
  ['EMU', 'euro', 1, 'EUR', '24.315'],
  ['Hungary', 'forint', 100, 'HUF', '6.312'],
  ['Japan', 'yen', 100, 'JPY', '13.524'],
  ['Poland', 'zloty', 1, 'PLN', '5.731'],
  ['Switzerland', 'franc', 1, 'CHF', '26.114'],
  ['United Kingdom', 'pound', 1, 'GBP', '27.648'],
  ['USA', 'dollar', 1, 'USD', '20.957'],
];

/** Units of a currency for one EUR, as the European Central Bank publishes them. */
const references: readonly (readonly [code: string, rate: string])[] = [
  ['USD', '1.1603'],
  ['JPY', '179.81'],
  ['CZK', '24.315'],
  ['GBP', '0.87960'],
  ['HUF', '385.20'],
  ['PLN', '4.2428'],
  ['CHF', '0.9311'],
];

/** Simulates the sources of the EUR/CZK rate: two central banks and a plain JSON document. */
export class Rates {
  /** How many requests each source got. */
  readonly requests: Record<Source, number> = { cnb: 0, ecb: 0, json: 0 };
  readonly #clock: Clock;
  readonly #faults: FaultBoard;
  #eurCzk: string | undefined;

  constructor(clock: Clock, faults: FaultBoard) {
    this.#clock = clock;
    this.#faults = faults;
  }

  /** Sets CZK for one EUR in all three sources, digit for digit; `undefined` restores the default rate. */
  setEurCzk(rate: string | undefined): void {
    this.#eurCzk = rate;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const source = sourceOf(request.url ?? '/');
    send(response, source === undefined ? text(404, 'Not Found') : this.#answer(source));
  }

  #answer(source: Source): Reply {
    this.requests[source]++;
    const gone = this.#fault('rate-gone', source);
    if (gone !== undefined) return text(numberOf(gone, 'status'), 'Not available');
    const stale = this.#fault('rate-stale', source);
    const day = stale && textOf(stale, 'date');
    switch (source) {
      case 'cnb':
        return json(this.#cnb(day));
      case 'ecb':
        return { status: 200, contentType: 'text/xml', body: this.#ecb(day) };
      case 'json':
        return json(JSON.stringify({ data: { EURCZK: this.#eurCzk ?? '24.3150' } }));
    }
  }

  #cnb(staleDay: string | undefined): string {
    const validFor = staleDay ?? newestFixingDay('cnb', this.#clock.now());
    const order = fixingOrder(validFor);
    const rates = fixing.map(([country, currency, amount, currencyCode, rate]) => {
      const head = JSON.stringify({ validFor, order, country, currency, amount, currencyCode }).slice(0, -1);
      return `${head},"rate":${currencyCode === 'EUR' ? (this.#eurCzk ?? rate) : rate}}`;
    });
    return `{"rates":[${rates.join(',')}]}`;
  }

  #ecb(staleDay: string | undefined): string {
    const day = staleDay ?? newestFixingDay('ecb', this.#clock.now());
    const cubes = references.map(
      ([code, rate]) => `\t\t\t<Cube currency='${code}' rate='${code === 'CZK' ? (this.#eurCzk ?? rate) : rate}'/>`,
    );
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">',
      '\t<gesmes:subject>Reference rates</gesmes:subject>',
      '\t<gesmes:Sender>\n\t\t<gesmes:name>European Central Bank</gesmes:name>\n\t</gesmes:Sender>',
      `\t<Cube>\n\t\t<Cube time='${day}'>`,
      ...cubes,
      '\t\t</Cube>\n\t</Cube>',
      '</gesmes:Envelope>',
    ].join('\n');
  }

  #fault(name: 'rate-gone' | 'rate-stale', source: Source) {
    return this.#faults.all(name).find((fault) => ['all', source].includes(textOf(fault, 'source') ?? ''));
  }
}

function sourceOf(url: string): Source | undefined {
  if (url.split('?', 1)[0] === cnbPath.split('?', 1)[0]) return 'cnb';
  if (url.startsWith(ecbPath)) return 'ecb';
  return url.startsWith(jsonPath) ? 'json' : undefined;
}

/** When a bank fixes rates, on each weekday, at a wall-clock time in Prague and Frankfurt. Holidays are left out. */
const fixedAt = { cnb: '14:30', ecb: '16:00' } as const;

const localTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Prague',
  dateStyle: 'short',
  timeStyle: 'short',
});

/** The calendar day (`YYYY-MM-DD`) of the newest fixing that a bank has published by this instant. */
export function newestFixingDay(bank: keyof typeof fixedAt, epochMs: number): string {
  const [date = '', time = ''] = localTime.format(epochMs).split(' ');
  let day = time < fixedAt[bank] ? dayBefore(date) : date;
  while (!isWeekday(day)) day = dayBefore(day);
  return day;
}

/** Which weekday of its year a day is: the `order` of the Czech National Bank's answer. */
function fixingOrder(day: string): number {
  return fixingOrders.getOrInsertComputed(day, () => {
    let order = 0;
    for (let other = day; other.startsWith(day.slice(0, 4)); other = dayBefore(other)) if (isWeekday(other)) order++;
    return order;
  });
}

const fixingOrders = new Map<string, number>();

function isWeekday(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

/** The calendar day before another. */
export function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - dayMs).toISOString().slice(0, 10);
}
