import assert from 'node:assert/strict';
import { noHistory } from '../board/status-history.ts';
import type { ReadModel } from './resource.ts';

/** Boards that answer as a test says. Whoever asks for anything else fails it. */
export function readModelOf({
  board,
  service,
}: { [Name in keyof ReadModel]?: Partial<ReadModel[Name]> } = {}): ReadModel {
  const unasked = () => assert.fail('nothing of this is expected to be read');
  return {
    board: { markets: unasked, ticker: unasked, tickers: unasked, ...board },
    service: {
      current: unasked,
      feedStatus: unasked,
      history: noHistory,
      maintenanceRetryAfterSeconds: unasked,
      status: unasked,
      windows: unasked,
      written: [],
      ...service,
    },
  };
}
