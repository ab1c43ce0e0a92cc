import type { EpochMs } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { WindowRecord } from '../../store/windows.ts';
import { formatInstant, instantPair } from '../instant.ts';
import { type Cell, type Paint, pairs } from '../style.ts';

export type WindowState = 'announced' | 'running' | 'over' | 'ended' | 'cancelled';

/** `ended` is by the operator before its time, `over` by itself. */
export function windowState(window: WindowRecord, now: EpochMs): WindowState {
  if (window.cancelledAt !== undefined) return 'cancelled';
  if (window.endedAt !== undefined) return 'ended';
  if (now < window.from) return 'announced';
  return now < window.to ? 'running' : 'over';
}

export function windowJson(window: WindowRecord, now: EpochMs) {
  return {
    id: window.id,
    state: windowState(window, now),
    ...instantPair('from', window.from),
    ...instantPair('to', window.to),
    description: window.description,
    ...instantPair('createdAt', window.createdAt),
    ...instantPair('cancelledAt', window.cancelledAt),
    ...instantPair('endedAt', window.endedAt),
  };
}

/** The window as `GET /v1/status` shows it (contract, MaintenanceWindow). */
export function seenByClients({ from, to, description }: WindowRecord) {
  return { from: isoInstant(from), fromMs: from, to: isoInstant(to), toMs: to, description };
}

export function windowText(window: WindowRecord, now: EpochMs, paint: Paint): string {
  return pairs(
    [
      ['Window', window.id],
      ['State', windowStateCell(windowState(window, now), paint)],
      ['From', formatInstant(window.from)],
      ['To', formatInstant(window.to)],
      ['Description', window.description],
    ],
    paint,
  );
}

export function windowStateCell(state: WindowState, paint: Paint): Cell {
  if (state === 'running') return { text: state, paint: paint.attention };
  return { text: state, paint: state === 'announced' ? paint.good : paint.faint };
}

export const windowIdPositional = { name: 'ID', summary: 'the window’s id, win_…' };
