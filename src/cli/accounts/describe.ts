import type { AccountRecord } from '../../store/accounts.ts';
import { formatInstant, instantPair } from '../instant.ts';
import { type Cell, type Paint, pairs } from '../style.ts';

export function accountJson(account: AccountRecord) {
  return {
    id: account.id,
    email: account.email,
    active: account.active,
    ...instantPair('createdAt', account.createdAt),
  };
}

export function accountText(account: AccountRecord, paint: Paint): string {
  return pairs(
    [
      ['Account', account.id],
      ['E-mail', account.email],
      ['State', stateCell(account, paint)],
      ['Created', formatInstant(account.createdAt)],
    ],
    paint,
  );
}

export function stateCell({ active }: AccountRecord, paint: Paint): Cell {
  return active ? { text: 'active', paint: paint.good } : { text: 'inactive', paint: paint.bad };
}
