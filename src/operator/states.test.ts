import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { KeyWithAccount } from '../store/key-record.ts';
import type { MarketRecord } from '../store/markets.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { WindowRecord } from '../store/windows.ts';
import { keyView } from './key.ts';
import { storedMarkets } from './market.ts';
import { tokenView } from './token.ts';
import { windowView } from './window.ts';

const now = 1_763_700_000_000 as EpochMs;
const after = (ms: number) => (now + ms) as EpochMs;

const key: KeyWithAccount = {
  id: 'key_1',
  accountId: 'acc_1',
  accountEmail: 'bot@example.com',
  accountActive: true,
  label: '',
  lastFour: 'x7Qa',
  status: 'active',
  createdAt: after(-1_000),
  expiresAt: undefined,
  limitPerMinute: undefined,
  replacedBy: undefined,
};

describe('a key', () => {
  const cases: readonly [string, Partial<KeyWithAccount>, string][] = [
    ['active', { expiresAt: after(1) }, 'active'],
    ['expired from its last instant on', { expiresAt: now }, 'expired'],
    ['refused with its account', { accountActive: false }, 'account_inactive'],
    ['expired, whatever its account', { accountActive: false, expiresAt: now }, 'expired'],
    ['disabled, whatever else', { status: 'disabled', accountActive: false, expiresAt: now }, 'disabled'],
    ['revoked, whatever else', { status: 'revoked', accountActive: false, expiresAt: now }, 'revoked'],
  ];
  for (const [what, changes, state] of cases) {
    test(`is ${what}, and usable only while active`, () => {
      const view = keyView({ ...key, ...changes }, now);
      assert.deepEqual([view.state, view.usable], [state, state === 'active']);
    });
  }

  test('shows null for what it does not have', () => {
    const { expiresAt, expiresAtMs, limitPerMinute, replacedBy } = keyView(key, now);
    assert.deepEqual([expiresAt, expiresAtMs, limitPerMinute, replacedBy], [null, null, null, null]);
  });
});

test('a token is revoked for good, expired from its last instant on, and active otherwise', () => {
  const token: TokenRecord = {
    id: 'tok_1',
    name: 'alice',
    role: 'support',
    createdAt: after(-1_000),
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  const stateOf = (changes: Partial<TokenRecord>) => tokenView({ ...token, ...changes }, now).state;
  assert.equal(stateOf({}), 'active');
  assert.equal(stateOf({ expiresAt: after(1) }), 'active');
  assert.equal(stateOf({ expiresAt: now }), 'expired');
  assert.equal(stateOf({ expiresAt: now, revokedAt: now }), 'revoked');
});

test('a window runs from its start to just before its end, and has ended however it came to its end', () => {
  const window: WindowRecord = {
    id: 'win_1',
    from: now,
    to: after(10),
    description: 'Upgrade.',
    createdAt: after(-1_000),
    cancelledAt: undefined,
    endedAt: undefined,
  };
  const stateAt = (at: EpochMs, changes: Partial<WindowRecord> = {}) => windowView({ ...window, ...changes }, at).state;
  assert.deepEqual(
    [-1, 0, 9, 10].map((ms) => stateAt(after(ms))),
    ['announced', 'running', 'running', 'ended'],
  );
  assert.equal(stateAt(after(5), { to: after(5), endedAt: after(5) }), 'ended');
  assert.equal(stateAt(now, { cancelledAt: after(-1) }), 'cancelled');
});

describe('a market', () => {
  const base: MarketRecord = {
    symbol: 'BTCEUR',
    base: 'BTC',
    quote: 'EUR',
    via: undefined,
    upstreamStatus: 'trading',
    operatorPaused: false,
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.0002',
    minOrderValue: '0.45',
    absence: undefined,
    delistedAt: undefined,
    heldAt: undefined,
    acceptedAt: undefined,
    acceptedSource: undefined,
    updatedAt: now,
  };
  const converted: MarketRecord = { ...base, symbol: 'BTCCZK', quote: 'CZK', via: 'BTCEUR', minOrderValue: undefined };
  const viewsOf = (ofBase: Partial<MarketRecord>, ofConverted: Partial<MarketRecord> = {}) =>
    storedMarkets([
      { ...base, ...ofBase },
      { ...converted, ...ofConverted },
    ]);

  test('that is converted is paused with its base market, and says by whom', () => {
    const [first, second] = viewsOf({ operatorPaused: true }, { upstreamStatus: 'paused' });
    assert.deepEqual([first!.status, first!.pausedBy], ['paused', ['operator']]);
    assert.deepEqual([second!.status, second!.pausedBy, second!.operatorPaused], ['paused', ['operator'], false]);
  });

  test('that is paused by its own operator leaves its base market alone', () => {
    const [first, second] = viewsOf({ upstreamStatus: 'trading' }, { operatorPaused: true });
    assert.deepEqual([first!.status, first!.pausedBy], ['trading', []]);
    assert.deepEqual([second!.status, second!.operatorPaused], ['paused', true]);
  });

  test('that is delisted takes the converted ones with it, is not paused, and is listed for 30 days', () => {
    for (const view of viewsOf({ delistedAt: now, operatorPaused: true })) {
      assert.deepEqual([view.status, view.pausedBy, view.delistedAtMs], ['delisted', [], now]);
      assert.equal(view.listedUntilMs, now + 30 * 86_400_000);
    }
  });

  test('shows null for what it does not have', () => {
    const [, second] = viewsOf({});
    assert.deepEqual([second!.minOrderValue, second!.delistedAt, second!.listedUntilMs], [null, null, null]);
  });
});
