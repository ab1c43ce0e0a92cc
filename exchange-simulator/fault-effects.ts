import { type MarketState, newPair } from './catalogue.ts';
import type { Dialect, Venue } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { FaultEffects } from './fault-board.ts';
import type { FaultName } from './fault-catalogue.ts';
import { BadRequest, type Fault, numberOf, textOf } from './fault-request.ts';
import type { Listener } from './listener.ts';
import type { Market } from './market-walk.ts';
import { unitsText } from './ticker.ts';
import type { WebSockets } from './websocket.ts';

/** What faults act upon. */
export interface FaultTargets {
  readonly venue: Venue;
  readonly dialect: Dialect;
  readonly exchange: Exchange;
  readonly webSockets: WebSockets;
  readonly listener: Listener;
}

/** The actions of the faults. `targets` is called late, since the targets are constructed after the board. */
export function faultEffects(targets: () => FaultTargets): FaultEffects {
  return {
    check: (fault) => check(fault, targets()),
    begin: (fault) => states[fault.fault]?.begin(fault, targets()),
    end: (fault) => states[fault.fault]?.end(fault, targets()),
    trigger: (fault) => events[fault.fault]?.(fault, targets()),
  };
}

function check(fault: Fault, { exchange, dialect }: FaultTargets): void {
  for (const symbol of fault.symbols ?? []) {
    const listed = exchange.listed(symbol) !== undefined;
    if (fault.fault === 'pair-new' && listed) throw new BadRequest(`${symbol} is already listed`);
    if (fault.fault !== 'pair-new' && !exchange.markets.has(symbol))
      throw new BadRequest(`${symbol} is not listed here`);
  }
  const call = textOf(fault, 'call');
  if (call !== undefined && call !== 'all' && !dialect.calls.includes(call)) {
    throw new BadRequest(`"call" must be one of: all, ${dialect.calls.join(', ')}`);
  }
  if (fault.fault === 'reconnect-notice' && dialect.reconnectNotice === undefined) {
    throw new BadRequest('this exchange does not announce the end of a connection');
  }
  if (fault.fault === 'pair-end' && dialect.endedState === undefined) {
    throw new BadRequest('this exchange takes a pair that has ended out of its list: use pair-delist');
  }
  const code = fault.parameters.code;
  if (code !== undefined && !isCloseCode(Number(code))) {
    throw new BadRequest(`"code" must be 1000 to 1003, 1007 to 1014 or 3000 to 4999, not ${code}`);
  }
  const date = fault.fault === 'rate-stale' ? textOf(fault, 'date') : undefined;
  if (date !== undefined && Number.isNaN(Date.parse(date)))
    throw new BadRequest(`"date" is not a calendar day: ${date}`);
}

/** Codes that a close frame can carry (RFC 6455, 7.4). */
function isCloseCode(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
}

type Effect = (fault: Fault, targets: FaultTargets) => void | Promise<void>;

const both = (effect: Effect) => ({ begin: effect, end: effect });
const setStatus = (fault: Fault, { exchange }: FaultTargets, status: MarketState) =>
  eachMarket(fault, exchange, (market) => exchange.setStatus(market, status));
const setOnline: Effect = (fault, targets) => setStatus(fault, targets, 'online');
const setEnded: Effect = (fault, targets) => setStatus(fault, targets, 'ended');
const setDelisted: Effect = (fault, targets) => setStatus(fault, targets, 'delisted');
const changeCatalogue: Effect = (_, { exchange }) => void exchange.catalogueVersion++;
const repeatPrices: Effect = (fault, { exchange }) => eachMarket(fault, exchange, (market) => exchange.repeat(market));

/** What a fault does when it begins and when it ends. The others are looked up where they matter. */
const states: Readonly<Partial<Record<FaultName, { readonly begin: Effect; readonly end: Effect }>>> = {
  freeze: {
    begin: (_, { venue }) => venue.clients.each((connection) => connection.freeze()),
    end: (_, { webSockets }) => webSockets.unfreeze(),
  },
  'pair-status': {
    begin: (fault, targets) => setStatus(fault, targets, textOf(fault, 'status') as MarketState),
    end: setOnline,
  },
  'pair-delist': { begin: setDelisted, end: setOnline },
  'pair-end': { begin: setEnded, end: setOnline },
  'pair-new': { begin: listNew, end: setDelisted },
  'pair-unlisted': both(changeCatalogue),
  'pair-flood': both(changeCatalogue),
  'pair-alias': both(changeCatalogue),
  'system-status': both((_, { dialect }) => dialect.statusChanged?.()),
  crossed: both(repeatPrices),
  'bad-value': both(repeatPrices),
  down: { begin: (_, { listener }) => listener.close(), end: (_, { listener }) => listener.reopen() },
};

const events: Readonly<Partial<Record<FaultName, (fault: Fault, targets: FaultTargets) => void>>> = {
  close: (fault, { venue }) => venue.clients.each((connection) => connection.close(numberOf(fault, 'code'))),
  reset: (_, { venue }) => venue.clients.each((connection) => connection.reset()),
  garbage: (fault, targets) => sendGarbage(textOf(fault, 'kind') ?? '', targets),
  oversized: (fault, targets) => sendOversized(numberOf(fault, 'bytes'), targets),
  replay,
  say: (fault, { venue }) =>
    venue.clients.each((connection, nowMs) => connection.send(textOf(fault, 'text') ?? '', nowMs)),
  'reconnect-notice': (_, { venue, dialect }) =>
    venue.clients.each((connection, nowMs) => connection.send(dialect.reconnectNotice ?? '', nowMs)),
};

function eachMarket(fault: Fault, exchange: Exchange, run: (market: Market) => void): void {
  for (const symbol of fault.symbols ?? []) {
    const market = exchange.markets.get(symbol);
    if (market !== undefined) run(market);
  }
}

function listNew(fault: Fault, { exchange }: FaultTargets): void {
  for (const symbol of fault.symbols ?? []) {
    const gone = exchange.markets.get(symbol);
    const [base = '', quote = ''] = symbol.split('/');
    if (gone !== undefined) exchange.setStatus(gone, 'online');
    else exchange.add(newPair(base, quote, numberOf(fault, 'decimals')), numberOf(fault, 'price'));
  }
}

/** Sends each subscriber a frame of an earlier instant, with the given prices or those of the curve at that instant. */
function replay(fault: Fault, { venue, dialect, exchange }: FaultTargets): void {
  const thenMs = venue.clock.now() - numberOf(fault, 'ageMs');
  const type = textOf(fault, 'type') === 'snapshot' ? 'snapshot' : 'update';
  const old = (market: Market) => {
    const { priceDecimals, tickUnits } = market.pair;
    const bid = market.unitsAt(thenMs);
    return {
      ...market.values(venue.clock.now()),
      bid: textOf(fault, 'bid') ?? unitsText(bid, priceDecimals),
      ask: textOf(fault, 'ask') ?? unitsText(bid + tickUnits, priceDecimals),
    };
  };
  venue.clients.each((connection) => {
    for (const symbol of connection.symbols) {
      const market = exchange.listed(symbol);
      if (market === undefined || fault.symbols?.includes(symbol) === false) continue;
      dialect.oldTicker(connection, market, old(market), venue.skewed(thenMs * 1000), type);
    }
  });
}

/** Sends every connection one message that a client must survive. The kinds are those of the fault `garbage`. */
function sendGarbage(kind: string, { dialect, venue }: FaultTargets): void {
  const bytes = garbageBytes(kind, dialect);
  venue.clients.each((connection, nowMs) => {
    if (kind === 'frame') connection.sendRaw(bytes);
    else connection.send(bytes, nowMs, kind === 'binary');
  });
}

/** Sends every connection one valid message of exactly this many bytes. */
function sendOversized(bytes: number, { dialect, venue }: FaultTargets): void {
  const message = Buffer.alloc(bytes, ' ');
  message.write(dialect.filler.slice(0, -1));
  message.write('}', bytes - 1);
  venue.clients.each((connection, nowMs) => connection.send(message, nowMs));
}

function garbageBytes(kind: string, dialect: Dialect): Buffer {
  switch (kind) {
    case 'binary':
      return Buffer.from([0x00, 0x9f, 0x92, 0x96, 0xff]);
    case 'utf8':
      return Buffer.from([...Buffer.from('{"channel":"'), 0xc3, 0x28, ...Buffer.from('"}')]);
    case 'frame':
      // All reserved bits set and an undefined opcode (RFC 6455, 5.2).
      return Buffer.from([0xff, 0x03, 0x61, 0x62, 0x63]);
    default:
      return Buffer.from(dialect.garbage[kind as keyof Dialect['garbage']] ?? dialect.garbage.json);
  }
}
