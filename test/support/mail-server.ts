import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { fixedPort } from './fixed-port.ts';

/** A message that reached its end. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly raw: string;
}

/**
 * What to do when the whole message is there: accept it, refuse it with a code, or anything else with the connection.
 */
export type AtEnd = (mail: ReceivedMail, connection: Socket) => number | undefined | Promise<number | undefined>;

export interface MailServerOptions {
  readonly options?: SMTPServerOptions;
  /** A free one, its own also while it is closed, when left out. */
  readonly port?: number;
}

/** A real mail server on a loopback port, its behaviour changed as a test goes on. */
export class MailServer {
  readonly #server: SMTPServer;
  /** Messages that were accepted. */
  readonly accepted: ReceivedMail[] = [];
  /** Messages that came whole, accepted or not. */
  readonly whole: ReceivedMail[] = [];
  sessions = 0;
  port = 0;
  /** Codes to refuse with at these steps. */
  refuse: { mail?: number; recipient?: number } = {};
  /** What to refuse every recipient with, word for word. */
  answer: (Error & { responseCode: number }) | undefined;
  /** Called when a recipient is named. */
  atRecipient: () => void = () => {};
  /** Called when content begins to come, before its end. */
  atContent: (connection: Socket) => void = () => {};
  /** Gives the code to refuse with; accepts when it gives none. */
  atEnd: AtEnd = () => undefined;

  private constructor({ options = {} }: MailServerOptions) {
    const failure = (code: number | undefined) => {
      if (code === undefined) return null;
      return Object.assign(new Error(`refused by the test: ${code}`), { responseCode: code });
    };
    this.#server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      hideSTARTTLS: true,
      closeTimeout: 50,
      logger: false,
      ...options,
      onConnect: (_session, callback) => {
        this.sessions++;
        callback();
      },
      onMailFrom: (_address, _session, callback) => callback(failure(this.refuse.mail)),
      onRcptTo: (_address, _session, callback) => {
        this.atRecipient();
        callback(this.answer ?? failure(this.refuse.recipient));
      },
      onData: (stream, session, callback) => {
        const connection = this.#socketOf(session);
        const chunks: Buffer[] = [];
        stream.on('error', () => {});
        stream.on('data', (chunk: Buffer) => {
          if (chunks.length === 0) this.atContent(connection);
          chunks.push(chunk);
        });
        stream.on('end', async () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          const mail = { from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() };
          this.whole.push(mail);
          const code = await this.atEnd(mail, connection);
          if (code === undefined) this.accepted.push(mail);
          callback(failure(code));
        });
      },
    });
    this.#server.on('error', () => {});
  }

  static async start(t: Pick<TestContext, 'after'>, options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await server.listen(options.port ?? (await fixedPort()));
    t.after(() => server.close());
    return server;
  }

  async listen(port: number): Promise<void> {
    const listener = this.#server.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    this.port = (listener.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #socketOf({ id }: SMTPServerSession): Socket {
    const connection = [...this.#server.connections].find((candidate) => candidate.session.id === id);
    if (connection === undefined) throw new Error('no connection of this session');
    return (connection as unknown as { _socket: Socket })._socket;
  }
}

/** The body parts of a multipart message, decoded, and its headers unfolded. */
export function readMail(raw: string): { headers: ReadonlyMap<string, string>; text: string; html: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = headersOf(head);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary === undefined ? [raw] : rest.join('\r\n\r\n').split(`--${boundary}`);
  const part = (type: string) => {
    const found = parts.find((candidate) => candidate.includes(`Content-Type: ${type}`)) ?? '';
    const [partHead = '', ...body] = found.replace(/^\r\n/, '').split('\r\n\r\n');
    const text = body.join('\r\n\r\n');
    return headersOf(partHead).get('content-transfer-encoding') === 'quoted-printable' ? unquoted(text) : text;
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}

function headersOf(head: string): Map<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), readWords(line.slice(colon + 1).trim())];
    }),
  );
}

/** Encoded words (RFC 2047) as the text they stand for. */
function readWords(value: string): string {
  const joined = value.replaceAll(/\?= +=\?/g, '?==?');
  return joined.replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/g, (_all, word: string) => unquoted(word.replaceAll('_', ' ')));
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
