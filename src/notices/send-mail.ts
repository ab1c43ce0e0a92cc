import { type Clock, type Randomness, withTimeout } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { deliver, type SmtpServer } from './delivery.ts';
import { composeMessage, type MailBody, type Mailbox } from './message.ts';
import type { SendOutcome } from './webhook.ts';

/** The clock, and the mail server with the sender of its mails; `undefined` where none is configured. */
export interface MailSender {
  readonly clock: Clock;
  readonly mail: { readonly smtp: SmtpServer; readonly from: Mailbox } | undefined;
}

/** One that tries again, after random waits, and says so in the log. */
export interface RetryingSender extends MailSender {
  readonly randomness: Randomness;
  readonly log: Log;
}

const timeoutMs = 60_000;

/**
 * Makes one attempt, a minute long at most. Its outcome never says the address.
 *
 * @param mayEnd asked before the end of the message, see `Outbox.beginSending`; without it a lost answer brings the
 * same mail again
 */
export async function sendMail(
  { clock, mail }: MailSender,
  body: MailBody,
  { to, messageId }: { readonly to: string; readonly messageId: string },
  stopping: AbortSignal,
  mayEnd?: () => Promise<boolean>,
): Promise<SendOutcome> {
  if (mail === undefined) return { kind: 'postponed', reason: 'no mail server is configured' };
  const { smtp: server, from } = mail;
  const message = await composeMessage(body, { from, to, messageId, date: clock.now() });
  const envelope = { from: from.address, to };
  const sent = await withTimeout(clock, timeoutMs, (late) => {
    const signal = AbortSignal.any([stopping, late]);
    return deliver({ server, envelope, message, mayEnd: mayEnd ?? (async () => true), signal });
  });
  if (sent.kind === 'accepted') return sent;
  // Mail servers repeat the address.
  const reason = sent.kind === 'withdrawn' ? 'withdrawn' : sent.reason.replaceAll(to, '(the address)');
  if (sent.kind === 'unanswered' && mayEnd !== undefined) return { kind: 'unconfirmed', reason };
  return { kind: sent.kind === 'refused' ? 'refused' : 'postponed', reason };
}
