import type { Row, Watched } from './watched.ts';
import { dataAgeText, maintenanceText, unpricedText } from './wording.ts';

/** One line for the service and for each market of which something is other than before. */
export function changeLines({ view, rows, isServiceChanged }: Watched): string[] {
  const { serverTime, status } = view.service;
  const lines: string[] = [];
  if (isServiceChanged) {
    const words = [status, dataAgeText(view, 0), view.feedPath ?? 'connecting', maintenanceText(view, 0)];
    lines.push(`${serverTime} service ${words.filter((word) => word !== undefined).join(', ')}`);
  }
  for (const row of rows) if (row.isChanged) lines.push(`${serverTime} ${row.market.symbol} ${rowWords(row)}`);
  return lines;
}

/** The same as one JSON object each: the service or a market as `GET /board` has it, with what it is called. */
export function changeObjects({ view, rows, isServiceChanged }: Watched): object[] {
  const { service, dataAgeMs, feedPath } = view;
  const objects: object[] = isServiceChanged ? [{ event: 'service', ...service, dataAgeMs, feedPath }] : [];
  const { serverTime, serverTimeMs } = service;
  for (const { isChanged, market, spreadPercent } of rows) {
    if (isChanged) objects.push({ event: 'market', ...market, spreadPercent, serverTime, serverTimeMs });
  }
  return objects;
}

function rowWords({ market: { status, ticker, unpriced }, spreadPercent }: Row): string {
  const words = status === 'trading' ? [] : [status];
  if (ticker === undefined) words.push(`no price (${unpricedText[unpriced ?? ''] ?? unpriced ?? status})`);
  else {
    words.push(`buy ${ticker.buyPrice} sell ${ticker.sellPrice} spread ${spreadPercent} %`);
    const change = ticker.priceChangePercent24h;
    if (change !== undefined) words.push(`24h ${change} %`);
  }
  return words.join(' ');
}
