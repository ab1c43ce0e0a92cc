import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';

/** How to reach the mail server that takes our mail. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`, RFC 8314). Otherwise STARTTLS is used whenever the server offers it. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** PEM file that its certificate is held against, in the place of the system's authorities. */
  readonly caFile?: string | undefined;
  /** No certificate is refused. For relays of this machine or a private network alone. */
  readonly takesAnyCertificate?: boolean;
  /** Over those of the runtime, in tests: a certificate authority of one's own. */
  readonly tls?: ConnectionOptions;
}

/** How handing a message over ended. `reason` is one line without secrets. */
export type Delivery =
  | { readonly kind: 'accepted' }
  /** The server answered no for good, to this message. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing was accepted, and a later attempt may succeed. `serverFault`: any other message would have failed too. */
  | { readonly kind: 'postponed'; readonly reason: string; readonly serverFault: boolean }
  /** The end of the message was sent and no answer came: whether it was accepted is not known (RFC 1047). */
  | { readonly kind: 'unanswered'; readonly reason: string }
  /** `mayEnd` said no. Nothing was accepted. */
  | { readonly kind: 'withdrawn' };

interface DeliveryOptions {
  readonly server: SmtpServer;
  readonly envelope: { readonly from: string; readonly to: string };
  readonly message: Buffer;
  /**
   * Asked once the server has the whole message except for its end. A message without its end is never accepted
   * (RFC 5321 §4.1.1.4), so the attempt can be withdrawn until this says yes.
   */
  readonly mayEnd: () => Promise<boolean>;
  /** Ends the attempt and its connection. */
  readonly signal: AbortSignal;
}

/** Timeouts of the steps. The last is RFC 5321 §4.5.3.2.6: giving up sooner loses answers. */
const connectTimeoutMs = 30_000;
const greetingTimeoutMs = 30_000;
const socketTimeoutMs = 10 * 60_000;

/** Hands one message to the mail server, over a connection of its own. Never rejects. */
export function deliver(options: DeliveryOptions): Promise<Delivery> {
  const { server, envelope } = options;
  const ending = { isSent: false, isWithdrawn: false };
  const content = Readable.from(guarded(options, ending), { objectMode: false });
  return withConnection(
    options,
    (connection, done) => connection.send({ ...envelope }, content, done),
    (error): Delivery => (error === null ? { kind: 'accepted' } : judge(error, ending, server)),
  );
}

/**
 * Connects and logs in as for a delivery, and hands over nothing. Rejects with the reason, which is one line without
 * secrets.
 */
export async function tryMailServer(server: SmtpServer, signal: AbortSignal): Promise<void> {
  const reason = await withConnection(
    { server, signal },
    (_, done) => done(null),
    (error) => (error === null ? undefined : reasonOf(error, server)),
  );
  if (reason !== undefined) throw new Error(reason);
}

/**
 * Connects, logs in where a user is configured, does the work, and closes. Resolves with the result of how it ended.
 */
function withConnection<Result>(
  { server, signal }: Pick<DeliveryOptions, 'server' | 'signal'>,
  work: (connection: SmtpConnection, done: Done) => void,
  resultOf: (error: SmtpFailure | null) => Result,
): Promise<Result> {
  return new Promise((resolve) => {
    let connection: SmtpConnection;
    try {
      connection = connectionTo(server);
    } catch (error) {
      resolve(resultOf(error as SmtpFailure));
      return;
    }
    const finish = (error: SmtpFailure | null) => {
      signal.removeEventListener('abort', aborted);
      resolve(resultOf(error));
      // The answer to QUIT is not waited for: a server that never gives it would hold the process.
      if (error === null) connection.quit();
      connection.close();
    };
    const aborted = () => finish(new Error('no answer in time'));
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });
    // Never removed: a connection that fails after its last answer must not end the process.
    connection.on('error', finish);
    logIn(connection, server, (error) => (error ? finish(error) : work(connection, finish)));
  });
}

const require = createRequire(import.meta.url);

function connectionTo(server: SmtpServer): SmtpConnection {
  // Loaded with the first mail: its 6 MB are of no use before.
  const Connection: typeof SmtpConnection = require('nodemailer/lib/smtp-connection');
  return new Connection({
    host: server.host,
    port: server.port,
    secure: server.implicitTls,
    requireTLS: needsTls(server),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    tls: tlsOptionsOf(server),
  });
}

function tlsOptionsOf({ caFile, takesAnyCertificate = false, tls }: SmtpServer): ConnectionOptions {
  if (takesAnyCertificate) return { rejectUnauthorized: false };
  return caFile === undefined ? { ...tls } : { ca: contentOf(caFile) };
}

function contentOf(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch {
    throw new Error(`the file ${caFile} (mail.caFile) cannot be read`);
  }
}

/** Its `command` is the step: `CONN`, `AUTH …`, `MAIL FROM`, `RCPT TO`, `DATA`, or `API` before any. */
type SmtpFailure = SmtpConnection.SMTPError;
type Done = (error: SmtpFailure | null) => void;

/** Connects, and logs in where a user is configured. */
function logIn(connection: SmtpConnection, { credentials }: SmtpServer, done: Done): void {
  connection.connect((error) => {
    if (error) done(error);
    else if (credentials === undefined) done(null);
    else connection.login({ credentials: { user: credentials.user, pass: credentials.password } }, done);
  });
}

/** How far a message is that ends only when it may. */
interface Ending {
  /** From the moment at which the end is sent. */
  isSent: boolean;
  isWithdrawn: boolean;
}

async function* guarded({ message, mayEnd }: DeliveryOptions, ending: Ending): AsyncGenerator<Buffer> {
  yield message;
  ending.isWithdrawn = !(await mayEnd());
  if (ending.isWithdrawn) throw new Error('withdrawn');
  ending.isSent = true;
}

/** Answers about who may use the server (RFC 4954 §6) come in reply to any command, and are not about the message. */
const loginCodes = new Set([530, 534, 535, 538]);

function judge(error: SmtpFailure, { isSent, isWithdrawn }: Ending, server: SmtpServer): Delivery {
  if (isWithdrawn) return { kind: 'withdrawn' };
  const { command = '', responseCode = 0 } = error;
  const reason = reasonOf(error, server);
  if (isSent && responseCode < 400) return { kind: 'unanswered', reason };
  const isAboutMessage =
    /^(MAIL FROM|RCPT TO|DATA|API)$/.test(command) && !loginCodes.has(responseCode) && error.code !== 'EAUTH';
  if (!isAboutMessage) return { kind: 'postponed', reason, serverFault: true };
  const isFinal = (responseCode >= 500 && responseCode !== 503) || (error.code === 'EENVELOPE' && command === 'API');
  return isFinal ? { kind: 'refused', reason } : { kind: 'postponed', reason, serverFault: responseCode === 421 };
}

/** Says why a delivery failed. The server's words during the login may repeat what we sent: only their code is kept. */
function reasonOf(error: SmtpFailure, server: SmtpServer): string {
  const { code, command = '', responseCode, response = '' } = error;
  const step = command === '' || command === 'API' ? '' : ` at ${command}`;
  if (command.startsWith('AUTH') || code === 'EAUTH')
    return `login refused${responseCode === undefined ? '' : ` (${responseCode})`}`;
  if (responseCode !== undefined) return safeLine(`refused${step}: ${response}`, server);
  const said = code === undefined ? error.message : `${code}${step}: ${error.message}`;
  return safeLine(/certificate/i.test(said) ? `${said} (${ownCertificate})` : said, server);
}

const ownCertificate = 'mail.caFile names one of its own, mail.anyCertificate takes that of a local relay';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1|0:0:0:0:0:0:0:1)$/i;

/** Whether the connection must use TLS: a password is never sent in the clear over a network. */
export function needsTls({ host, credentials }: SmtpServer): boolean {
  return credentials !== undefined && !loopback.test(host);
}

/**
 * An answer of the server as one line for the log and the outbox: short, without control characters, and without
 * the password in any form in which a server could repeat it.
 */
function safeLine(text: string, { credentials }: Pick<SmtpServer, 'credentials'>): string {
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
