import type { FaultBoard } from './fault-board.ts';
import { flagOf, textOf } from './fault-request.ts';
import type { TickerField, TickerValues, WireTicker } from './ticker.ts';

/** The values of a market as the faults `crossed` and `bad-value` leave them on this path. */
export function spoilt(faults: FaultBoard, symbol: string, path: 'ws' | 'rest', values: TickerValues): WireTicker {
  const crossed = faults.find('crossed', symbol);
  let result: WireTicker = values;
  if (crossed !== undefined && reaches(textOf(crossed, 'over'), path)) {
    result = { ...result, bid: values.ask, ask: values.bid };
  }
  for (const bad of faults.all('bad-value')) {
    if (!bad.symbols?.includes(symbol) || !reaches(textOf(bad, 'over'), path)) continue;
    const field = textOf(bad, 'field') as TickerField;
    result = { ...result, [field]: flagOf(bad, 'missing') ? undefined : textOf(bad, 'value') };
  }
  return result;
}

function reaches(over: string | undefined, path: 'ws' | 'rest'): boolean {
  return over === 'both' || over === path;
}
