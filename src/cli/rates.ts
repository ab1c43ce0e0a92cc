import type { Configuration } from '../configuration/configuration.ts';
import { secondOrigin } from '../feed/rates/rate-origins.ts';
import type { Clock } from '../ground/clock.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { acceptableRate, type RateView, rateViews } from '../operator/rate.ts';
import { loadRateControls } from '../persistence/store-follower.ts';
import type { Store } from '../store/store.ts';
import { proposedInstead } from './approvals.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { askRates } from './private-listener.ts';
import { type Job, savedBook, storeCommand } from './store-command.ts';
import { type Cell, harmless, instantCell, type Paint, pairs } from './style.ts';

const quotePositional = { summary: 'the currency that is converted to, such as CZK, in any case' } as const;
const noServer = 'No server answers: this is the rate as it was last stored.';

const show = storeCommand({
  name: 'rates show',
  summary: 'show conversion rates, what the second source says, and what is held and why',
  details: ['Asks the running server; if none answers, it shows the rates that were last stored and says so.'],
  positionals: { QUOTE: { ...quotePositional, isOptional: true } },
  examples: {
    'mdapi rates show': 'rate, inverse, fixing, age, and the difference from the second source',
  },
  async work({ positionals: { QUOTE: written }, store, configuration, context: { clock }, paint }) {
    const asked = await askRates(configuration.admin, clock);
    const all = asked ?? (await storedRates(store, configuration, clock));
    const rates = written === undefined ? all : [rateOf(all, written)];
    const text = rates.map((rate) => rateText(rate, paint)).join('\n\n') || 'No quote currency is converted.';
    return { json: { rates }, text, notes: asked === undefined ? [noServer] : [] };
  },
});

const accept = storeCommand({
  name: 'rates accept',
  summary: 'take the rate that is held, or confirm the one in force',
  details: [
    'It is in force at once. `mdapi rates show` says which one is meant; where the server holds another level by then, nothing is taken.',
  ],
  positionals: { QUOTE: quotePositional },
  examples: {
    'mdapi rates accept CZK': 'after comparing it with the bank’s site',
  },
  async work(job) {
    const { positionals, store, configuration, paint } = job;
    const { clock } = job.context;
    const rates = await ratesNow(configuration.admin, clock);
    const before = rateOf(rates, positionals.QUOTE);
    const mid = acceptableRate(before);
    if (mid === undefined)
      throw new CommandError(exitCodes.refused, 'not_held', `Nothing of the rate of ${before.quote} is doubted.`);
    const proposed = await proposedInstead({ action: 'rate.accept', quote: before.quote, mid }, job, rates);
    if (proposed !== undefined) return proposed;
    await store.rates.accept(before.quote, mid, clock.now());
    const notes = [`${mid} is taken: the server has it within a second.`];
    return { json: { ...before, accepted: mid }, text: rateText(before, paint), notes };
  },
});

const hold = storeCommand({
  name: 'rates hold',
  summary: 'keep the rate that is in force, whatever comes',
  details: [
    'It counts as confirmed, lasts over restarts and until `rates release`, and ends with the validity of the rate (`rates.validFor`): no hold makes an old rate young.',
  ],
  positionals: { QUOTE: quotePositional },
  examples: {
    'mdapi rates hold CZK': 'no change if it is held',
  },
  work: (job) => setHeld(job, true),
});

const release = storeCommand({
  name: 'rates release',
  summary: 'end the operator’s hold on a rate',
  details: ['The next reading is judged as usual. A hold on a market that is converted with it stays.'],
  positionals: { QUOTE: quotePositional },
  examples: {
    'mdapi rates release CZK': 'no change if it is not held',
  },
  work: (job) => setHeld(job, false),
});

export const commands = [show, accept, hold, release];

async function setHeld(job: Job<undefined, { QUOTE: typeof quotePositional }>, isHeld: boolean): Promise<Result> {
  const { positionals, store, configuration, context, paint } = job;
  const now = context.clock.now();
  const quote = quoteIn(configuration, positionals.QUOTE);
  if (!isHeld && (await store.rates.list()).some((each) => each.quote === quote && each.heldAt !== undefined)) {
    const proposed = await proposedInstead({ action: 'rate.release', quote }, job);
    if (proposed !== undefined) return proposed;
  }
  await store.rates.setHeld(quote, isHeld ? now : undefined);
  const rate = rateOf(await storedRates(store, configuration, context.clock), quote);
  return { json: rate, text: rateText(rate, paint) };
}

/** The rates of the running server. Throws `CommandError` where none answers. */
async function ratesNow(admin: Configuration['admin'], clock: Clock): Promise<readonly RateView[]> {
  const rates = await askRates(admin, clock);
  if (rates !== undefined) return rates;
  throw new CommandError(exitCodes.failure, 'no_server', 'No server answers on its private listener.');
}

/** The rates as a running server last saved them. */
export async function storedRates(
  store: Store,
  configuration: Configuration,
  clock: Clock,
): Promise<readonly RateView[]> {
  const markets = await savedBook(store, configuration, clock);
  await loadRateControls(store, markets.rates, true);
  const { pricing, rates } = configuration;
  const unread = { lastOutcome: undefined, lastFault: undefined, failingSince: undefined };
  const read = [...pricing.converted].map(([quote, { via }]) => {
    const second = secondOrigin(rates, via, quote);
    return { quote, source: rates.source, ...unread, second: second && { source: second.source, ...unread } };
  });
  return rateViews(markets, pricing.converted, read, clock.now());
}

function quoteIn({ pricing }: Configuration, written: string): CurrencyCode {
  const quote = written.toUpperCase() as CurrencyCode;
  if (pricing.converted.has(quote)) return quote;
  throw rateUnknown(written, [...pricing.converted.keys()]);
}

function rateOf(rates: readonly RateView[], written: string): RateView {
  const found = rates.find(({ quote }) => quote === written.toUpperCase());
  if (found !== undefined) return found;
  throw rateUnknown(
    written,
    rates.map(({ quote }) => quote),
  );
}

function rateUnknown(written: string, quotes: readonly string[]): CommandError {
  const known = quotes.length === 0 ? 'No quote currency is converted.' : `There are: ${quotes.join(', ')}.`;
  const said = `No market is converted into "${harmless(written)}". ${known}`;
  return new CommandError(exitCodes.notFound, 'rate_unknown', said);
}

function rateText(rate: RateView, paint: Paint): string {
  const { via, quote, mid, inverse, source, fixingDate, refreshedAt, ageMs, validUntil, heldAt, lastOutcome } = rate;
  const lines: [string, Cell][] = [
    ['Rate', `${via}/${quote}`],
    ['State', stateOf(rate, paint)],
    ['In force', mid ?? '-'],
    ['Inverse', inverse ?? '-'],
    ['Source', fixingDate === null ? source : `${source}, fixing of ${fixingDate}`],
    ['Last read', refreshedAt === null ? 'never' : `${instantCell(refreshedAt)} (${ageText(ageMs!)} ago)`],
  ];
  if (lastOutcome !== null && lastOutcome !== 'ok')
    lines.push(['Last attempt', { text: lastOutcome, paint: paint.bad }]);
  if (validUntil !== null) lines.push(['Valid until', instantCell(validUntil)]);
  if (heldAt !== null) lines.push(['Held by the operator', instantCell(heldAt)]);
  lines.push(['Second source', secondText(rate)], ...heldLines(rate, paint));
  return pairs(lines, paint);
}

function stateOf({ valid, confirmed, held, mid }: RateView, paint: Paint): Cell {
  if (!valid) return { text: mid === null ? 'no rate' : 'not valid', paint: paint.bad };
  if (held !== null) return { text: 'valid; another is held', paint: paint.attention };
  if (!confirmed) return { text: 'valid, confirmed by nothing yet', paint: paint.attention };
  return { text: 'valid', paint: paint.good };
}

function secondText({ second }: RateView): string {
  if (second === null) return 'none (rates.compare)';
  const { source, mid, fixingDate, differencePercent, lastOutcome } = second;
  const trouble = lastOutcome === null || lastOutcome === 'ok' ? '' : `; ${lastOutcome}`;
  if (mid === null) return `${source}: not read yet${trouble}`;
  const fixing = fixingDate === null ? '' : `, fixing of ${fixingDate}`;
  return `${source}: ${mid}${fixing}, difference ${differencePercent ?? '-'} %${trouble}`;
}

function heldLines({ held }: RateView, paint: Paint): [string, Cell][] {
  if (held === null) return [];
  const { mid, fixingDate, since, changePercent, why } = held;
  const change = changePercent === null ? '' : ` (${changePercent} %)`;
  const fixing = fixingDate === null ? '' : `, fixing of ${fixingDate}`;
  return [
    ['Held', { text: `${mid}${change}${fixing}, since ${instantCell(since)}`, paint: paint.bad }],
    ['Why', why],
  ];
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

function ageText(ageMs: number): string {
  const [size, unit] = units.find(([each]) => ageMs >= 2 * each) ?? [1_000, 's'];
  return `${Math.floor(ageMs / size)} ${unit}`;
}
