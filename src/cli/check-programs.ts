import type { Configuration } from '../configuration/configuration.ts';
import type { UpstreamError } from '../feed/wire.ts';
import { type Clock, withTimeout } from '../ground/clock.ts';
import type { Context } from './command.ts';

/** A check; returns what was found, or throws what is wrong and what to do, without a secret. */
export type Check = readonly [name: string, work: () => Promise<string>];

const timeoutMs = 20_000;

/** Whether other programs that the configuration names answer, and what they say. */
export function* programChecks(
  { admin, redis, mail, alerts }: Configuration,
  { clock, randomness }: Context,
): Generator<Check> {
  if (redis !== undefined) {
    const at = { subject: `${redis.host}:${redis.port}`, key: 'redis' };
    yield reached('Redis', at, clock, async (signal) => {
      const { checkRedis, onConnection } = await import('../cluster/redis-check.ts');
      return onConnection(redis, { clock, randomness }, signal, (call) => checkRedis(call, clock.now()));
    });
  }
  if (mail !== undefined) {
    const { smtp, from } = mail;
    yield reached('mail server', { subject: `${smtp.host}:${smtp.port}`, key: 'mail.smtp' }, clock, async (signal) => {
      const { tryMailServer } = await import('../notices/delivery.ts');
      await tryMailServer(smtp, signal);
      return `${smtp.credentials === undefined ? 'takes connections' : 'takes the login'}; sender ${from.address}`;
    });
  }
  const { oidc } = admin;
  if (oidc !== undefined) {
    const at = { subject: new URL(oidc.issuer).host, key: 'admin.oidc.issuer' };
    yield reached('sign-in provider', at, clock, async () => {
      const { checkProvider } = await import('../management/oidc-provider.ts');
      return checkProvider(oidc);
    });
  }
  const { heartbeat } = alerts;
  if (heartbeat !== undefined) {
    const at = { subject: new URL(heartbeat.url).host, key: 'alerts.heartbeat' };
    yield reached('heartbeat', at, clock, async (signal) => {
      const { sendHeartbeat } = await import('../notices/heartbeat.ts');
      await sendHeartbeat(heartbeat, clock, signal);
      return `takes a heartbeat by ${heartbeat.method}`;
    });
  }
}

/**
 * Each check has its own timeout, so that one that hangs does not fail the others.
 *
 * @param subject name and address in messages
 * @param key the setting they come from
 */
export function reached(
  name: string,
  { subject, key }: Record<'subject' | 'key', string>,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<string>,
): Check {
  const look = async () => {
    try {
      return `${subject}: ${await withTimeout(clock, timeoutMs, work)}`;
    } catch (error) {
      const said = error instanceof Error ? error.message : 'failed';
      const isAnswer = said.startsWith('HTTP status') || (error as Partial<UpstreamError>).kind === 'malformed';
      const remedy = isAnswer
        ? `It answers, so this machine reaches it: check ${key}.`
        : `Check ${key}, and whether this machine may reach it (DNS, firewall, network.proxy).`;
      throw new Error(`${subject}: ${said}. ${remedy}`);
    }
  };
  return [name, look];
}
