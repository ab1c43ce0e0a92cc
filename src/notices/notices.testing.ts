import type { TestContext } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import type { MailServer } from '../../test/support/mail-server.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { NoticeRecord } from '../store/notices.ts';
import { digestNumber, openFixture, type StoreFixture } from '../store/store.testing.ts';
import type { Store } from '../store/store.ts';
import { Courier, type CourierOptions } from './courier.ts';
import type { SmtpServer } from './delivery.ts';

export const minuteMs = 60_000;
export const rule = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 };
export const place = { baseUrl: 'https://api.example.com', atMostEveryMs: rule.atMostEveryMs, language: 'en' } as const;
export const from = { name: 'Market data', address: 'api@example.com' };

/** A database with an account and a key, and what was logged. */
export interface Outbox extends StoreFixture {
  readonly accountId: string;
  readonly keyId: string;
  readonly logged: LogEntry[];
  readonly log: CourierOptions['log'];
}

interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export async function openOutbox(t: TestContext, email = 'holder@example.net'): Promise<Outbox> {
  const fixture = await openFixture(t);
  const { store } = fixture;
  const account = await store.accounts.create({ email });
  const key = await store.keys.insert({
    accountId: account.id,
    digest: digestNumber(1),
    lastFour: 'x7Qa',
    label: 'bot',
  });
  const logged: LogEntry[] = [];
  const at = (level: LogEntry['level']) => (fields: object, message: string) => {
    logged.push({ level, fields: fields as LogEntry['fields'], message });
  };
  const log = { ...silentLog, info: at('info'), warn: at('warn'), error: at('error') };
  return { ...fixture, accountId: account.id, keyId: key.id, logged, log };
}

/** Breaches of the key in minutes so long before `now`'s. */
async function breach(store: Store, keyId: string, now: EpochMs, ...minutesAgo: readonly number[]): Promise<void> {
  const minute = now - (now % minuteMs);
  await store.breaches.add(
    minutesAgo.map((ago) => ({
      keyId,
      minuteStart: (minute - ago * minuteMs) as EpochMs,
      refused: 10,
      limitPerMinute: 60,
    })),
  );
}

/** A notice that waits to be sent. */
export async function pendingNotice({
  store,
  clock,
  keyId,
}: Pick<Outbox, 'store' | 'clock' | 'keyId'>): Promise<NoticeRecord> {
  const now = clock.now();
  await breach(store, keyId, now, 3, 2, 1);
  const upToMinute = (now - (now % minuteMs) - minuteMs) as EpochMs;
  const afterMinute = (upToMinute - 10 * minuteMs) as EpochMs;
  const [notice] = await store.notices.decide({ rule, mailed: true, upToMinute, afterMinute });
  if (notice === undefined) throw new Error('no notice was decided');
  return notice;
}

export function smtpOf({ port }: Pick<MailServer, 'port'>): SmtpServer {
  return { host: '127.0.0.1', port, implicitTls: false, credentials: undefined };
}

/** A courier that is stopped with the test. */
export function startCourier(
  t: Pick<TestContext, 'after'>,
  { store, clock, log }: { store: Store; clock: Clock; log: CourierOptions['log'] },
  server: SmtpServer,
): Courier {
  const courier = new Courier({
    notices: store.notices,
    mail: { smtp: server, from },
    place,
    clock,
    log,
    randomness: seededRandomness(3),
  });
  courier.start();
  t.after(() => courier.stop());
  return courier;
}
