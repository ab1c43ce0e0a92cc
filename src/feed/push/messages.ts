import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import type { DecimalString } from '../../market/decimal.ts';
import { asObject } from '../wire.ts';

/** Plain notation, above or at zero, without superfluous zeros before the digits. */
const decimal = (description: string, example: string) =>
  Type.Unsafe<DecimalString>(
    Type.String({ description, maxLength: 64, pattern: '^(0|[1-9]\\d*)(\\.\\d+)?$', examples: [example] }),
  );
const places = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: 18, examples: [example] });
const currency = (description: string, example: string) =>
  Type.String({ description, pattern: '^[A-Z0-9]{1,16}$', examples: [example] });
const whole = (description: string, example: number, minimum = 1) =>
  Type.Integer({ description, minimum, maximum: Number.MAX_SAFE_INTEGER, examples: [example] });

function message<const Name extends string, Properties extends Record<string, TSchema>>(
  name: Name,
  description: string,
  properties: Properties,
) {
  return Type.Object({ type: Type.Literal(name), ...properties }, { description, additionalProperties: false });
}

const PushedMarketSchema = Type.Object(
  {
    base: currency('Base currency. Base and quote joined are the symbol.', 'BTC'),
    quote: currency('Quote currency.', 'EUR'),
    status: Type.Enum(['trading', 'paused'], { description: 'Whether orders can be placed.' }),
    pricePrecision: places('Decimals of a price.', 1),
    amountPrecision: places('Decimals of an amount in the base currency.', 8),
    tickSize: decimal('Smallest price step, above zero.', '0.1'),
    minOrderSize: decimal('Smallest order, in the base currency, above zero.', '0.00005'),
    minOrderValue: Type.Optional(decimal('Smallest order, in the quote currency.', '5')),
  },
  { description: 'A market of the engine.', additionalProperties: false },
);

/** Messages of an engine, by `type`. */
export const engineMessages = {
  hello: message('hello', 'The first message of every connection, within 5 seconds.', {
    protocol: Type.Literal(1, { description: 'Version of this protocol.' }),
    epoch: whole(
      'Number of the engine’s run: higher with every start. A higher one ends the connection of a lower one.',
      7,
    ),
  }),
  catalogue: message('catalogue', 'Every market there is, before the first snapshot and after every change.', {
    markets: Type.Array(PushedMarketSchema, { description: 'All of them.', minItems: 1, maxItems: 20_000 }),
  }),
  snapshot: message(
    'snapshot',
    'Brackets the tickers of all markets that have a price: what comes between is the whole state, and ' +
      'a market left out has none.',
    {
      phase: Type.Enum(['begin', 'end'], { description: 'Which bracket.' }),
    },
  ),
  ticker: message('ticker', 'The whole state of one market. The next one makes up for a lost one.', {
    seq: whole('One more than that of the ticker before, whatever its market. Any number after a snapshot begins.', 15),
    symbol: Type.String({
      description: 'A market of the catalogue.',
      pattern: '^[A-Z0-9]{2,32}$',
      examples: ['BTCEUR'],
    }),
    time: whole('When the engine knew it, milliseconds since the Unix epoch; not in the future.', 1_795_255_200_000),
    bid: decimal('Best bid, above zero.', '50000.0'),
    ask: decimal('Best ask, not below the bid and at most ten times as high.', '50000.1'),
    high24h: decimal('Highest trade of 24 hours, not below the lowest.', '51000.5'),
    low24h: decimal('Lowest trade of 24 hours.', '49000.4'),
    volume24h: decimal('Volume of 24 hours, in the base currency.', '412.70318822'),
    last: Type.Optional(decimal('Last trade.', '50000.1')),
    vwap24h: Type.Optional(decimal('Volume weighted average price of 24 hours.', '50001.2')),
    changePercent24h: Type.Optional(
      Type.String({
        description: 'Change of 24 hours in percent.',
        maxLength: 64,
        pattern: '^-?(0|[1-9]\\d*)(\\.\\d+)?$',
        examples: ['-1.25'],
      }),
    ),
  }),
  heartbeat: message(
    'heartbeat',
    'Once a second, also while nothing changes. Three seconds without a message end the connection.',
    {
      lastSeq: whole('Of the last ticker sent; 0 before the first.', 15, 0),
    },
  ),
} as const;

/** Why a message, or the connection, is refused. */
const errorCodes = [
  /** The frame is no message. */
  'MALFORMED',
  /** A field is missing, unknown or not valid. */
  'INVALID_MESSAGE',
  /** The message does not belong here. */
  'OUT_OF_TURN',
  /** The market is not in the catalogue. */
  'UNKNOWN_SYMBOL',
  /** The time is in the future. */
  'FUTURE_TIME',
  /** The prices contradict each other. */
  'INVALID_PRICE',
  /** A later run is connected. */
  'FENCED',
  /** No message came in time. */
  'SILENT',
  /** Answers are not read. */
  'SLOW',
] as const;

/** Answers of the service, by `type`. */
export const serviceMessages = {
  ack: message('ack', 'Every ticker up to this one was processed.', { seq: whole('Of the last one.', 15, 0) }),
  resync: message(
    'resync',
    'Send the catalogue if it was not sent on this connection, and a snapshot. Tickers outside it are ' +
      'not taken until then.',
    {
      reason: Type.Enum(['connected', 'gap', 'quiet', 'requested'], {
        description:
          'Why; `quiet`: no ticker for 5 seconds; `requested`: the service began to read anew, or markets ' +
          'were added to it.',
      }),
      expectedSeq: Type.Optional(whole('With `gap`: the number that should have come.', 16)),
    },
  ),
  error: message('error', 'A message, or the connection, was refused.', {
    code: Type.Enum([...errorCodes], { description: 'Why.' }),
    message: Type.String({
      description: 'What is wrong and how to fix it, for people.',
      examples: ['ask: is below the bid.'],
    }),
    seq: Type.Optional(whole('Of the ticker that was refused; the numbers go on after it.', 15)),
    fatal: Type.Boolean({ description: 'The connection ends.' }),
  }),
} as const;

type MessageOf<Messages extends Record<string, TSchema>> = Static<Messages[keyof Messages]>;

export type EngineMessage = MessageOf<typeof engineMessages>;
export type PushedTicker = Static<typeof engineMessages.ticker>;
export type PushedMarket = Static<typeof PushedMarketSchema>;
export type ServiceMessage = MessageOf<typeof serviceMessages>;
export type PushErrorCode = Static<typeof serviceMessages.error>['code'];
export type ResyncReason = Static<typeof serviceMessages.resync>['reason'];

/** A frame that is not taken. The message is for the author of the engine. */
export interface Refusal {
  readonly code: 'MALFORMED' | 'INVALID_MESSAGE';
  readonly message: string;
  /** The number and market of a ticker refused for its form, where they can be read: it counts in the sequence. */
  readonly ticker?: Pick<PushedTicker, 'seq' | 'symbol'> | undefined;
}

/** How the service closes a connection (RFC 6455 §7.4). */
export const closeCodes = {
  MALFORMED: { code: 1007, meaning: 'The first message was not readable.' },
  INVALID_MESSAGE: { code: 1008, meaning: 'The first message was not valid.' },
  TOO_LARGE: { code: 1009, meaning: 'A frame was over 8 MiB.' },
  OUT_OF_TURN: { code: 4001, meaning: 'A message out of turn, or no `hello` in time.' },
  FENCED: { code: 4002, meaning: 'A later run of the engine is connected.' },
  SILENT: { code: 4003, meaning: 'No message for three seconds.' },
  SLOW: { code: 4004, meaning: 'Answers were not read.' },
  REVOKED: { code: 4005, meaning: 'The token was revoked.' },
  AGAIN: { code: 1013, meaning: 'Connect again.' },
} as const;

const validators = new Map(Object.entries(engineMessages).map(([type, schema]) => [type, Compile(schema)]));

/** Reads one frame. What is wrong is named by field. */
export function readMessage(text: string): EngineMessage | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'MALFORMED', message: 'The frame is not JSON.' };
  }
  const type = asObject(value)?.type;
  const validator = typeof type === 'string' ? validators.get(type) : undefined;
  if (validator === undefined) {
    return { code: 'MALFORMED', message: `type: must be one of ${[...validators.keys()].join(', ')}.` };
  }
  if (validator.Check(value)) return value as EngineMessage;
  const { seq, symbol } = value as Partial<PushedTicker>;
  const ticker = type === 'ticker' && Number.isSafeInteger(seq) ? { seq: seq!, symbol: String(symbol) } : undefined;
  return { code: 'INVALID_MESSAGE', ticker, message: faultOf(validator.Errors(value)) };
}

export function isRefusal(read: EngineMessage | Refusal): read is Refusal {
  return 'code' in read;
}

/** The first fault, by the name of its field: `markets.3.tickSize: …`. */
function faultOf(faults: readonly TLocalizedValidationError[]): string {
  // An unknown name is reported twice, once as a schema that nothing satisfies.
  const fault = faults.find(({ keyword }) => keyword !== 'boolean');
  const within = fault?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const field = (name: string | undefined) => (within === '' ? name : `${within}.${name}`);
  if (fault?.keyword === 'required') return `${field(fault.params.requiredProperties[0])}: is missing.`;
  if (fault?.keyword === 'additionalProperties') return `${field(fault.params.additionalProperties[0])}: is not known.`;
  return `${within === '' ? 'The message' : `${within}:`} ${fault?.message ?? 'is not valid'}.`;
}
