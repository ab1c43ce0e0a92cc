import { domainToASCII } from 'node:url';
import type { EpochMs } from '../ground/clock.ts';

/** An address with the name shown beside it. */
export interface Mailbox {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

export interface MailBody {
  readonly subject: string;
  readonly text: string;
  /** Plain text alone when left out. */
  readonly html?: string;
  /** More of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Begins what mail programs show as a signature (RFC 3676). */
export const signatureMark = '-- ';

/** Names the environment before whatever is said of it: `[Test] `. */
export function tagOf(environment: string | undefined): string {
  return environment === undefined ? '' : `[${environment}] `;
}

interface MessageHead {
  readonly from: Mailbox;
  /** An address as `mailableAddress` gives it. */
  readonly to: string;
  /** With its angle brackets. */
  readonly messageId: string;
  readonly date: EpochMs;
}

const localPart = /^[^\s\p{C}@<>(),;:\\"[\]]{1,64}$/u;
const domain = /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

/**
 * An account's address as an envelope can carry it, the domain in ASCII; `undefined` when it cannot be written
 * without a chance of being read as something else: accounts come from other programs too.
 */
export function mailableAddress(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const host = domainToASCII(email.slice(at + 1));
  return at > 0 && localPart.test(local) && domain.test(host) ? `${local}@${host}` : undefined;
}

/** The part of an address after the `@`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/**
 * The whole message, RFC 5322 and MIME. It says that a program wrote it, so that no other program answers (RFC 3834).
 */
export async function composeMessage(mail: MailBody, { from, to, messageId, date }: MessageHead): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject: mail.subject,
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    messageId,
    date: new Date(date),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...mail.headers },
    // Nothing of a message is ever read from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
