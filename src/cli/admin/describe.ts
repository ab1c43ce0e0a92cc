import type { EpochMs } from '../../clock.ts';
import { tokenState as stateOf } from '../../operator/token.ts';
import type { TokenRecord } from '../../store/tokens.ts';
import { formatInstant, instantPair } from '../instant.ts';
import type { Cell, Paint } from '../style.ts';

export function tokenJson(token: TokenRecord, now: EpochMs) {
  return {
    id: token.id,
    name: token.name,
    usable: stateOf(token, now) === 'active',
    ...instantPair('createdAt', token.createdAt),
    ...instantPair('expiresAt', token.expiresAt),
    ...instantPair('revokedAt', token.revokedAt),
    ...instantPair('lastUsedAt', token.lastUsedAt),
  };
}

/** The lines that describe a token to people. */
export function tokenLines(token: TokenRecord, now: EpochMs, paint: Paint): (readonly [string, Cell])[] {
  return [
    ['Id', token.id],
    ['Name', token.name],
    ['State', tokenState(token, now, paint)],
    ['Expires', instantOr(token.expiresAt, 'never')],
  ];
}

export function tokenState(token: TokenRecord, now: EpochMs, paint: Paint): Cell {
  if (token.revokedAt !== undefined) return { text: 'revoked', paint: paint.bad };
  if (stateOf(token, now) !== 'active') return { text: 'expired', paint: paint.bad };
  return { text: 'active', paint: paint.good };
}

export function instantOr(instant: EpochMs | undefined, otherwise: string): string {
  return instant === undefined ? otherwise : formatInstant(instant);
}
