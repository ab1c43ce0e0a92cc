import type { Clock } from '../src/clock.ts';
import { newPair, type PairStatus } from './catalogue.ts';
import type { Exchange } from './exchange.ts';
import type { FaultEffects } from './fault-board.ts';
import { BadRequest, type Fault, numberOf, textOf } from './fault-request.ts';
import { garbage, oversized } from './garbage.ts';
import type { Listener } from './listener.ts';
import type { Market } from './market-walk.ts';
import { tickerFrame, unitsText } from './ticker.ts';
import type { WebSockets } from './websocket.ts';
import { wireTime } from './wire-clock.ts';

/** What faults act upon. */
export interface FaultTargets {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly webSockets: WebSockets;
  readonly listener: Listener;
}

/** What beginning, ending or happening means for the faults that are more than a look at the board. `targets` is asked late. */
export function faultEffects(targets: () => FaultTargets): FaultEffects {
  return {
    check: (fault) => check(fault, targets().exchange),
    begin: (fault) => begin(fault, targets()),
    end: (fault) => end(fault, targets()),
    happen: (fault) => happen(fault, targets()),
  };
}

function check(fault: Fault, exchange: Exchange): void {
  for (const symbol of fault.symbols ?? []) {
    const listed = exchange.listed(symbol) !== undefined;
    if (fault.fault === 'pair-new' && listed) throw new BadRequest(`${symbol} is listed already`);
    if (fault.fault !== 'pair-new' && !exchange.markets.has(symbol))
      throw new BadRequest(`${symbol} is not listed here`);
  }
  const code = fault.parameters.code;
  if (code !== undefined && !isCloseCode(Number(code))) {
    throw new BadRequest(`"code" must be 1000 to 1003, 1007 to 1014 or 3000 to 4999, not ${code}`);
  }
  const date = fault.fault === 'rate-stale' ? textOf(fault, 'date') : undefined;
  if (date !== undefined && Number.isNaN(Date.parse(date)))
    throw new BadRequest(`"date" is no day of the calendar: ${date}`);
}

/** Codes that may stand in a closing frame (RFC 6455, 7.4). */
function isCloseCode(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
}

function begin(fault: Fault, { exchange, webSockets, listener }: FaultTargets): void | Promise<void> {
  switch (fault.fault) {
    case 'freeze':
      return webSockets.each((connection) => connection.freeze());
    case 'pair-status':
      return eachMarket(fault, exchange, (market) => exchange.setStatus(market, textOf(fault, 'status') as PairStatus));
    case 'pair-delist':
      return eachMarket(fault, exchange, (market) => exchange.setStatus(market, 'delisted'));
    case 'pair-new':
      return listNew(fault, exchange);
    case 'system-status':
      return tellStatus(webSockets);
    case 'crossed':
    case 'bad-value':
      return eachMarket(fault, exchange, (market) => exchange.repeat(market));
    case 'down':
      return listener.vanish();
    default:
      return undefined;
  }
}

function end(fault: Fault, { exchange, webSockets, listener }: FaultTargets): void | Promise<void> {
  switch (fault.fault) {
    case 'freeze':
      return webSockets.thaw();
    case 'pair-status':
    case 'pair-delist':
      return eachMarket(fault, exchange, (market) => exchange.setStatus(market, 'online'));
    case 'pair-new':
      return eachMarket(fault, exchange, (market) => exchange.setStatus(market, 'delisted'));
    case 'system-status':
      return tellStatus(webSockets);
    case 'crossed':
    case 'bad-value':
      return eachMarket(fault, exchange, (market) => exchange.repeat(market));
    case 'down':
      return listener.comeBack();
    default:
      return undefined;
  }
}

function happen(fault: Fault, targets: FaultTargets): void {
  const { webSockets } = targets;
  switch (fault.fault) {
    case 'close':
      webSockets.each((connection) => connection.close(numberOf(fault, 'code')));
      break;
    case 'reset':
      webSockets.each((connection) => connection.reset());
      break;
    case 'garbage':
      garbage(textOf(fault, 'kind') ?? '', webSockets);
      break;
    case 'oversized':
      oversized(numberOf(fault, 'bytes'), webSockets);
      break;
    case 'replay':
      replay(fault, targets);
      break;
    default:
      throw new Error(`"${fault.fault}" is not an event`);
  }
}

function eachMarket(fault: Fault, exchange: Exchange, run: (market: Market) => void): void {
  for (const symbol of fault.symbols ?? []) {
    const market = exchange.markets.get(symbol);
    if (market !== undefined) run(market);
  }
}

function listNew(fault: Fault, exchange: Exchange): void {
  for (const symbol of fault.symbols ?? []) {
    const gone = exchange.markets.get(symbol);
    const [base = '', quote = ''] = symbol.split('/');
    if (gone !== undefined) exchange.setStatus(gone, 'online');
    else exchange.add(newPair(base, quote, numberOf(fault, 'decimals')), numberOf(fault, 'price'));
  }
}

function tellStatus(webSockets: WebSockets): void {
  webSockets.each((connection, nowMs) => connection.send(webSockets.statusMessage(connection), nowMs));
}

/** Sends each subscriber the frame of an earlier instant, with the curve's price of then unless prices are given. */
function replay(fault: Fault, { clock, exchange, webSockets }: FaultTargets): void {
  const thenMs = clock.now() - numberOf(fault, 'ageMs');
  const type = textOf(fault, 'type') === 'snapshot' ? 'snapshot' : 'update';
  const old = (market: Market): string => {
    const { priceDecimals, tickUnits, symbol } = market.pair;
    const bid = market.unitsAt(thenMs);
    const values = {
      ...market.values(clock.now()),
      bid: textOf(fault, 'bid') ?? unitsText(bid, priceDecimals),
      ask: textOf(fault, 'ask') ?? unitsText(bid + tickUnits, priceDecimals),
    };
    return tickerFrame(type, symbol, values, wireTime((thenMs + webSockets.skewMs) * 1000));
  };
  webSockets.each((connection, nowMs) => {
    for (const symbol of fault.symbols ?? connection.tickers.keys()) {
      const market = exchange.listed(symbol);
      if (market !== undefined && connection.tickers.has(symbol)) connection.send(old(market), nowMs);
    }
  });
}
