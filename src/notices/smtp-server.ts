import type { ConnectionOptions } from 'node:tls';

/** How to reach the mail server that takes our mail. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`, RFC 8314). Otherwise STARTTLS is used whenever the server offers it. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** Over those of the runtime, such as a certificate authority of one's own. */
  readonly tls?: ConnectionOptions;
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1|0:0:0:0:0:0:0:1)$/i;

/** Whether the connection must not go on without TLS: a password is never sent in the clear over a network. */
export function needsTls({ host, credentials }: SmtpServer): boolean {
  return credentials !== undefined && !loopback.test(host);
}

/**
 * An answer of the server as one line for the log and the outbox: short, without control characters, and without
 * the password in any form in which a server could repeat it.
 */
export function safeLine(text: string, { credentials }: Pick<SmtpServer, 'credentials'>): string {
  let line = text;
  if (credentials !== undefined && credentials.password !== '') {
    const { user, password } = credentials;
    const forms = [password, encodeURIComponent(password), base64(password), base64(`\0${user}\0${password}`)];
    for (const form of forms) line = line.replaceAll(form, '(not shown)');
  }
  return line
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 200)
    .trim();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
