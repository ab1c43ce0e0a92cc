import type { EpochMs } from '../../clock.ts';
import type { KeyRecord, KeyWithAccount } from '../../store/keys.ts';
import type { CommandInput } from '../command.ts';
import { UsageError } from '../failure.ts';
import { formatInstant, instantPair } from '../instant.ts';
import type { Cell, Paint } from '../style.ts';

/** What a key can do now: its own status, or what stands in the way although it is active. */
export type KeyState = 'active' | 'disabled' | 'revoked' | 'expired' | 'account inactive';

export function keyState(key: KeyRecord, accountActive: boolean, now: EpochMs): KeyState {
  if (key.status !== 'active') return key.status;
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  return accountActive ? 'active' : 'account inactive';
}

export function keyJson(key: KeyRecord) {
  return {
    id: key.id,
    accountId: key.accountId,
    label: key.label,
    lastFour: key.lastFour,
    status: key.status,
    ...instantPair('createdAt', key.createdAt),
    ...instantPair('expiresAt', key.expiresAt),
    ...(key.limitPerMinute === undefined ? {} : { limitPerMinute: key.limitPerMinute }),
    ...(key.replacedBy === undefined ? {} : { replacedBy: key.replacedBy }),
  };
}

/** As {@link keyJson}, with what only a key read together with its account can tell. */
export function keyWithAccountJson(key: KeyWithAccount, now: EpochMs) {
  const usable = keyState(key, key.accountActive, now) === 'active';
  return { ...keyJson(key), accountEmail: key.accountEmail, accountActive: key.accountActive, usable };
}

/** The lines that describe a key to people. */
export function keyLines(key: KeyRecord, state: KeyState, paint: Paint): (readonly [string, Cell])[] {
  return [
    ['Id', key.id],
    ['Ends in', key.lastFour],
    ['Account', key.accountId],
    ...(key.label === '' ? [] : [['Label', key.label] as const]),
    ['State', keyStateCell(state, paint)],
    ['Expires', key.expiresAt === undefined ? 'never' : formatInstant(key.expiresAt)],
    ['Limit', key.limitPerMinute === undefined ? 'the configured one' : `${key.limitPerMinute} requests a minute`],
    ...(key.replacedBy === undefined ? [] : [['Replaced by', key.replacedBy] as const]),
  ];
}

export function keyStateCell(state: KeyState, paint: Paint): Cell {
  if (state === 'active') return { text: state, paint: paint.good };
  return { text: state, paint: state === 'disabled' ? paint.attention : paint.bad };
}

/** The id on the command line. A key itself in its place is already in the shell's history, and is not repeated. */
export function keyIdFrom(input: CommandInput): string {
  const id = input.argument('ID');
  if (!id.startsWith('mdk_')) return id;
  throw new UsageError(
    'That is an API key, not its id (key_…, see `mdapi keys list`). Keys do not belong in a command line.',
  );
}

export const keyIdPositional = { name: 'ID', summary: 'the key’s id, key_…' };

export const shownOnce =
  'The key is shown this once and stored nowhere. Keep it now, out of browsers and repositories.';
