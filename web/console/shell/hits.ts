import type { Account, Key, Window as MaintenanceWindow, MarketRow, Term } from '../../generated/management-v1.d.ts';

/** Something found, and the page that shows it. */
export interface Hit {
  readonly kind: 'market' | 'account' | 'key' | 'request' | 'window' | 'term';
  readonly id: string;
  /** The address of its page. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly text: string;
  /** Which one it is: the account of a key, the instant of a window. */
  readonly of?: string | undefined;
}

/** What there is to search in; the service has searched accounts and keys already. */
export interface Found {
  readonly markets: readonly Pick<MarketRow, 'symbol'>[];
  readonly accounts: readonly Pick<Account, 'id' | 'email'>[];
  readonly keys: readonly Pick<Key, 'id' | 'label' | 'lastFour' | 'accountEmail' | 'accountId'>[];
  readonly windows: readonly Pick<MaintenanceWindow, 'id' | 'description'>[];
  readonly terms: readonly Pick<Term, 'id' | 'subject'>[];
}

const perKindMax = 6;

/** All hits of a text: what it is exactly comes first, then what begins with it. */
export function hitsOf(text: string, { markets, accounts, keys, windows, terms }: Found): readonly Hit[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const symbol = wanted.replaceAll(/[\s/\-_]/g, '');
  const requestId = wanted.replaceAll('-', '');
  const holds = (...parts: readonly (string | null)[]) => parts.some((part) => part?.toLowerCase().includes(wanted));
  const kinds: readonly (readonly Hit[])[] = [
    /^[0-9a-f]{32}$/.test(requestId)
      ? [{ ...hit('request', requestId, requestId, ['record']), query: { by: 'request', id: requestId } }]
      : [],
    markets
      .filter((market) => symbol !== '' && market.symbol.toLowerCase().includes(symbol))
      .sort((one, other) => rank(one.symbol, symbol) - rank(other.symbol, symbol))
      .map((market) => hit('market', market.symbol, market.symbol, ['markets', market.symbol])),
    keys.map((key) => {
      const name = `…${key.lastFour}${key.label === '' ? '' : ` ${key.label}`}`;
      return hit('key', key.id, name, ['keys', key.id], key.accountEmail ?? key.accountId);
    }),
    accounts.map(({ id, email }) => hit('account', id, email, ['accounts', id])),
    windows
      .filter(({ id, description }) => holds(id, description))
      .map(({ id, description }) => hit('window', id, description, ['maintenance'], id)),
    terms
      .filter(({ id, subject }) => holds(id, subject))
      .map(({ id, subject }) => hit('term', `${id} ${subject}`, id, ['terms'], subject ?? undefined)),
  ];
  return kinds.flatMap((hits) => hits.slice(0, perKindMax));
}

function hit(kind: Hit['kind'], id: string, text: string, segments: readonly string[], of?: string): Hit {
  return { kind, id, text, segments, of };
}

function rank(symbol: string, wanted: string): number {
  return symbol.toLowerCase() === wanted ? 0 : symbol.toLowerCase().startsWith(wanted) ? 1 : 2;
}
