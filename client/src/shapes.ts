import type { MaintenanceWindow, Market, Problem, ServerTime, ServiceStatus, Ticker } from './contract.ts';

/** Returns what is wrong with a value; undefined when nothing is. */
type Check = (value: unknown, where: string) => string | undefined;

const decimalPattern = /^-?(0|[1-9]\d*)(\.\d+)?$/;

const text: Check = (value, where) => (typeof value === 'string' ? undefined : `${where} is not a string`);
const whole: Check = (value, where) => (Number.isSafeInteger(value) ? undefined : `${where} is not a whole number`);
const decimal: Check = (value, where) =>
  typeof value === 'string' && decimalPattern.test(value) ? undefined : `${where} is not a decimal string`;
const orNull =
  (check: Check): Check =>
  (value, where) =>
    value === null ? undefined : check(value, where);
const optional =
  (check: Check): Check =>
  (value, where) =>
    value === undefined ? undefined : check(value, where);

/** Checks every member of the type, and ignores others: the contract can add some. */
function object<Body>(members: Readonly<Record<keyof Body & string, Check>>): Check {
  const checks = Object.entries<Check>(members);
  return (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${where} is not an object`;
    for (const [name, check] of checks) {
      const fault = check((value as Record<string, unknown>)[name], `${where}.${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function list(check: Check): Check {
  return (value, where) => {
    if (!Array.isArray(value)) return `${where} is not a list`;
    for (const [index, item] of value.entries()) {
      const fault = check(item, `${where}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

const time = { serverTime: text, serverTimeMs: whole };
const names = { symbol: text, base: text, quote: text };

const maintenanceWindow = object<MaintenanceWindow>({
  from: text,
  fromMs: whole,
  to: text,
  toMs: whole,
  description: text,
});

const ticker = object<Ticker>({
  ...names,
  buyPrice: decimal,
  sellPrice: decimal,
  high24h: decimal,
  low24h: decimal,
  volume24h: decimal,
  vwap24h: optional(decimal),
  priceChangePercent1h: optional(decimal),
  priceChangePercent24h: optional(decimal),
  priceChangePercent7d: optional(decimal),
  timestamp: text,
  timestampMs: whole,
});

const market = object<Market>({
  ...names,
  status: text,
  pricePrecision: whole,
  amountPrecision: whole,
  tickSize: decimal,
  minOrderSize: decimal,
  minOrderValue: optional(decimal),
});

const status = object<ServiceStatus>({
  status: text,
  api: text,
  components: object<ServiceStatus['components']>({ ticker: text }),
  maintenance: orNull(maintenanceWindow),
  lastUpdatedAt: orNull(text),
  lastUpdatedAtMs: orNull(whole),
  ...time,
});

const problem = object<Problem>({ type: text, title: text, status: whole, code: text, detail: text, requestId: text });

/** A body that violates the contract; `message` names the place. */
export class ShapeError extends Error {}

function checked<T>(check: Check, body: unknown): T {
  const fault = check(body, 'body');
  if (fault !== undefined) throw new ShapeError(fault);
  return body as T;
}

export const readTime = (body: unknown): ServerTime => checked(object<ServerTime>(time), body);
export const readStatus = (body: unknown): ServiceStatus => checked(status, body);
export const readTicker = (body: unknown): Ticker => checked(ticker, body);
export const readProblem = (body: unknown): Problem => checked(problem, body);

interface Tickers {
  readonly tickers: readonly Ticker[];
}

export const readTickers = (body: unknown): readonly Ticker[] =>
  checked<Tickers>(object<Tickers>({ tickers: list(ticker) }), body).tickers;

interface Markets {
  readonly markets: readonly Market[];
}

export const readMarkets = (body: unknown): readonly Market[] =>
  checked<Markets>(object<Markets>({ markets: list(market) }), body).markets;
