const dayMs = 86_400_000;

/** Czech public holidays with a fixed date, as month and day. */
const czechHolidays = [
  '01-01',
  '05-01',
  '05-08',
  '07-05',
  '07-06',
  '09-28',
  '10-28',
  '11-17',
  '12-24',
  '12-25',
  '12-26',
];
/** Days on which the euro payment system TARGET is closed, apart from Easter. */
const targetHolidays = ['01-01', '05-01', '12-25', '12-26'];

/** A bank that fixes rates once on each of its working days, at a wall-clock time in Prague and Frankfurt. */
export interface FixingBank {
  readonly holidays: readonly string[];
  readonly publishedAt: string;
}

export const czechNationalBank: FixingBank = { holidays: czechHolidays, publishedAt: '14:30' };
export const europeanCentralBank: FixingBank = { holidays: targetHolidays, publishedAt: '16:00' };

const localTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Prague',
  dateStyle: 'short',
  timeStyle: 'short',
});

/** The calendar day (`YYYY-MM-DD`) of the newest fixing a bank has published by this instant. */
export function newestFixingDay(bank: FixingBank, epochMs: number): string {
  const [date = '', time = ''] = localTime.format(epochMs).split(' ');
  let day = time < bank.publishedAt ? dayBefore(date) : date;
  while (!isWorkingDay(bank, day)) day = dayBefore(day);
  return day;
}

/** Which working day of its year a day is: the `order` of the Czech National Bank's answer. */
export function fixingOrder(bank: FixingBank, day: string): number {
  let order = 0;
  for (let other = day; other.startsWith(day.slice(0, 4)); other = dayBefore(other)) {
    if (isWorkingDay(bank, other)) order++;
  }
  return order;
}

function isWorkingDay(bank: FixingBank, day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  const weekday = date.getUTCDay();
  if (weekday === 0 || weekday === 6 || bank.holidays.includes(day.slice(5))) return false;
  const sinceEaster = Math.round((date.getTime() - easterSunday(date.getUTCFullYear())) / dayMs);
  return sinceEaster !== -2 && sinceEaster !== 1;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - dayMs).toISOString().slice(0, 10);
}

/** Midnight UTC of Easter Sunday, 1900 to 2099, after Gauss. */
function easterSunday(year: number): number {
  const moon = (19 * (year % 19) + 24) % 30;
  const week = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const late = moon + week;
  const inApril = late - 9;
  const early = inApril === 26 || (inApril === 25 && moon === 28 && year % 19 > 10);
  return Date.UTC(year, 2, 22 + late - (early ? 7 : 0));
}
