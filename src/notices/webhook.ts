import { createHmac } from 'node:crypto';
import { type Clock, withTimeout } from '../ground/clock.ts';

/** One request to a receiver of webhooks. */
export interface Webhook {
  /** May hold a token: it is in no outcome. */
  readonly url: string;
  /** The same in every attempt, so that a receiver can leave out what it has had. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** `whsec_` and the key in base64; `undefined` for a receiver that takes no signature. */
  readonly secret?: string | undefined;
  /** Sends the request; `fetch` when left out. */
  readonly post?: Post;
  /** How long the head of the answer may take; ten seconds when left out. */
  readonly timeoutMs?: number;
}

/**
 * How an attempt to send a webhook or a mail ended. `reason` is one line without secrets and without anything that the
 * receiver wrote.
 */
export type SendOutcome =
  | { readonly kind: 'accepted' }
  /** The receiver will never take this one. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** A mail may have been taken: it is not sent again. */
  | { readonly kind: 'unconfirmed'; readonly reason: string }
  /** With the wait that the receiver asked for, an hour at most. */
  | { readonly kind: 'postponed'; readonly reason: string; readonly retryAfterMs?: number };

const usualTimeoutMs = 10_000;
/** The reason of an attempt that the end of this process cut off. */
export const stoppedReason = 'the process stopped';
const retryAfterSecondsMax = 3_600;
/** Bad request, gone, too large, not understood: the same body fails again. */
const finalStatuses = new Set([400, 410, 413, 422]);

/** The headers by which a receiver knows who sent a body, and when (Standard Webhooks, standardwebhooks.com). */
function webhookHeaders({ id, body, secret }: Webhook, clock: Clock): Record<string, string> {
  const timestamp = String(Math.floor(clock.now() / 1_000));
  const headers = { 'Webhook-Id': id, 'Webhook-Timestamp': timestamp };
  if (secret === undefined) return headers;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'Webhook-Signature': `v1,${signature}` };
}

export type Post = (url: string, request: Pick<RequestInit, 'headers' | 'body' | 'signal'>) => Promise<Response>;

/** Makes one attempt: no redirect is followed, and nothing of the answer but its head is read. Never rejects. */
export async function sendWebhook(webhook: Webhook, clock: Clock, stopping: AbortSignal): Promise<SendOutcome> {
  const { url, body, post = fetch, timeoutMs = usualTimeoutMs } = webhook;
  const own = { 'Content-Type': 'application/json', 'User-Agent': 'market-data-api' };
  const headers = { ...own, ...webhookHeaders(webhook, clock) };
  let isLate = false;
  try {
    return await withTimeout(clock, timeoutMs, async (late) => {
      late.addEventListener('abort', () => {
        isLate = true;
      });
      const signal = AbortSignal.any([stopping, late]);
      const request = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
      const answer = await post(url, request);
      await answer.body?.cancel();
      return outcomeOf(answer);
    });
  } catch (error) {
    if (isLate) return { kind: 'postponed', reason: `no answer in ${timeoutMs / 1_000} s` };
    return { kind: 'postponed', reason: stopping.aborted ? stoppedReason : failureOf(error) };
  }
}

function outcomeOf({ ok, status, headers }: Response): SendOutcome {
  if (ok) return { kind: 'accepted' };
  const reason = `HTTP ${status}`;
  if (finalStatuses.has(status)) return { kind: 'refused', reason };
  if (status >= 300 && status < 400) return { kind: 'postponed', reason: `${reason}: redirects are not followed` };
  const wait = headers.get('retry-after') ?? '';
  if (!/^\d{1,9}$/.test(wait)) return { kind: 'postponed', reason };
  return { kind: 'postponed', reason, retryAfterMs: Math.min(Number(wait), retryAfterSecondsMax) * 1_000 };
}

/** The code of the system or of TLS alone: messages may quote the URL. */
function failureOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'no connection';
}
