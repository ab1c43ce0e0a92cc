import type { Answer, Value } from './postgres-answer.ts';
import { type PostgresError, refused } from './postgres-errors.ts';
import type { PostgresModel } from './postgres-model.ts';
import type { Session } from './postgres-session.ts';

/** What becomes of a statement on its way: its connection can be lost before it is run, or before its answer is sent. */
type Fate = 'lost before' | 'lost after' | undefined;

export interface WireOptions {
  readonly model: PostgresModel;
  send(bytes: Buffer): void;
  close(): void;
  fateOf?(text: string, session: Session): Fate;
  /** Why no connection is taken now. */
  refusal?(): PostgresError | undefined;
}

/** Of PostgreSQL's types (`pg_type`), by the names that columns have, or by what SQLite gives. */
const types: Readonly<Record<string, number>> = {
  boolean: 16,
  blob: 17,
  bigint: 20,
  integer: 23,
  text: 25,
  varchar: 1043,
  numeric: 1700,
  void: 2278,
  double: 701,
};
const maxUnparsed = 16 * 1024 * 1024;

/** The server's end of a connection, in PostgreSQL's protocol, version 3. */
export class PostgresWire {
  readonly #options: WireOptions;
  #session: Session | undefined;
  #unread: Buffer = Buffer.alloc(0);
  #text = '';
  #parameters: readonly Value[] = [];
  #fails = false;
  #isBusy = false;
  #isClosed = false;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  receive(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    if (this.#unread.length > maxUnparsed) throw new Error('too long a message');
    this.#work();
  }

  /** The connection is gone. */
  end(): void {
    this.#isClosed = true;
    this.#session?.end();
  }

  /** Messages in their order: a statement that waits holds up those behind it. */
  #work(): void {
    while (!this.#isBusy && !this.#isClosed) {
      const isStarting = this.#session === undefined;
      const header = isStarting ? 4 : 5;
      if (this.#unread.length < header) return;
      const length = this.#unread.readInt32BE(header - 4) + (isStarting ? 0 : 1);
      if (this.#unread.length < length) return;
      const message = this.#unread.subarray(0, length);
      this.#unread = this.#unread.subarray(length);
      if (isStarting) this.#start(message.subarray(8));
      else this.#take(String.fromCharCode(message[0]!), message.subarray(5));
    }
  }

  #start(body: Buffer): void {
    const words = body.toString().split('\0');
    const settings: Record<string, string> = {};
    for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2) settings[words[at]!] = words[at + 1]!;
    for (const [, name, value] of (settings.options ?? '').matchAll(/-c (\w+)=(\S+)/g)) settings[name!] = value!;
    const client = {
      notified: (channel: string, payload: string, sender: number) =>
        this.#send('A', int32(sender), text(channel), text(payload)),
      ended: (error: PostgresError) => this.refuse(error),
    };
    const refusal = this.#options.refusal?.();
    if (refusal !== undefined) {
      this.refuse(refusal);
      return;
    }
    const session = this.#options.model.connect(client, settings);
    this.#session = session;
    this.#send('R', int32(0));
    for (const [name, value] of [
      ['server_version', '18.0'],
      ['client_encoding', 'UTF8'],
    ] as const)
      this.#send('S', text(name), text(value));
    this.#send('K', int32(session.pid), int32(0));
    this.#ready();
  }

  /** Ends it with an error. */
  refuse(error: PostgresError): void {
    if (this.#isClosed) return;
    this.#error(error);
    this.#isClosed = true;
    this.#options.close();
  }

  #take(kind: string, body: Buffer): void {
    if (kind === 'X') {
      this.end();
      this.#options.close();
    } else if (kind === 'Q') this.#simple(body.toString('utf8', 0, body.length - 1));
    else if (kind === 'S') {
      this.#fails = false;
      this.#ready();
    } else if (!this.#fails) this.#extended(kind, body);
  }

  #extended(kind: string, body: Buffer): void {
    if (kind === 'P') {
      const name = body.indexOf(0) + 1;
      this.#text = body.toString('utf8', name, body.indexOf(0, name));
      this.#send('1');
    } else if (kind === 'B') {
      this.#parameters = parametersOf(body);
      this.#send('2');
    } else if (kind === 'E')
      this.#execute(this.#text, this.#parameters, (answer) => {
        if (answer !== undefined) this.#answer(answer);
        else this.#fails = true;
      });
    else if (kind === 'C') this.#send('3');
  }

  #simple(all: string): void {
    const statements = statementsOf(all);
    const next = () => {
      const statement = statements.shift();
      if (statement === undefined) return this.#ready();
      this.#execute(statement, [], (answer) => {
        if (answer === undefined) return this.#ready();
        this.#answer(answer);
        next();
      });
    };
    if (statements.length === 0) this.#send('I');
    next();
  }

  #execute(sql: string, parameters: readonly Value[], done: (answer: Answer | undefined) => void): void {
    const session = this.#session!;
    const fate = this.#options.fateOf?.(sql, session);
    if (fate === 'lost before') {
      this.#lose();
      return;
    }
    this.#isBusy = true;
    session.execute(sql, parameters, (error, answer) => {
      this.#isBusy = false;
      if (this.#isClosed) return;
      if (fate === 'lost after') return this.#lose();
      if (error?.isFatal) return;
      if (error !== undefined) this.#error(error);
      done(answer);
      this.#work();
    });
  }

  #lose(): void {
    this.end();
    this.#options.close();
  }

  #answer({ command, count, columns, rows }: Answer): void {
    const oids = columns.map(({ type, isNumeric }, at) =>
      isNumeric ? types.numeric! : oidOf(type, rows.find((row) => row[at] !== null)?.[at]),
    );
    if (columns.length > 0) {
      const described = columns.map(({ name }, at) =>
        Buffer.concat([text(name), int32(0), int16(0), int32(oids[at]!), int16(-1), int32(-1), int16(0)]),
      );
      this.#send('T', int16(columns.length), ...described);
    }
    for (const row of rows) this.#send('D', int16(row.length), ...row.map(field));
    const counted =
      command === 'INSERT'
        ? `INSERT 0 ${count}`
        : /^(?:SELECT|UPDATE|DELETE)$/.test(command)
          ? `${command} ${count}`
          : command;
    this.#send('C', text(counted));
  }

  #error(error: PostgresError): void {
    const fields = {
      S: error.isFatal ? 'FATAL' : 'ERROR',
      V: error.isFatal ? 'FATAL' : 'ERROR',
      C: error.code,
      M: error.message,
    };
    const parts = Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from(name), text(value)]));
    this.#send('E', ...parts, Buffer.from([0]));
  }

  #ready(): void {
    this.#send('Z', Buffer.from(this.#session!.status));
  }

  #send(kind: string, ...parts: readonly Buffer[]): void {
    if (this.#isClosed) return;
    const length = parts.reduce((sum, part) => sum + part.length, 4);
    this.#options.send(Buffer.concat([Buffer.from(kind), int32(length), ...parts]));
  }
}

/** A semicolon ends each, unless it stands in a text, the body of a function, or a comment. */
function statementsOf(all: string): string[] {
  const parts = all.match(/(?:'(?:[^']|'')*'|\$\$[\s\S]*?\$\$|--[^\n]*(?:\n|$)|[^;])+/g) ?? [];
  return parts.map((part) => part.replaceAll(/^(?:\s*--[^\n]*\n)+/g, '').trim()).filter((part) => part !== '');
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function field(value: Value): Buffer {
  if (value === null) return int32(-1);
  const bytes = Buffer.from(value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value));
  return Buffer.concat([int32(bytes.length), bytes]);
}

function oidOf(type: string | null, value: Value | undefined): number {
  const declared = type?.toLowerCase().replace(/\(.*$/, '');
  if (declared !== undefined && types[declared] !== undefined) return types[declared];
  if (typeof value === 'bigint') return types.bigint!;
  if (typeof value === 'number') return types.double!;
  return value instanceof Uint8Array ? types.blob! : types.text!;
}

/** What a statement is to be run with. A whole number is bound as one: on the wire it is text, whose type the column decides. */
function parametersOf(body: Buffer): readonly Value[] {
  let at = body.indexOf(0) + 1;
  at = body.indexOf(0, at) + 1;
  const formats = Array.from({ length: body.readInt16BE(at) }, (_, index) => body.readInt16BE(at + 2 + 2 * index));
  at += 2 + 2 * formats.length;
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, (_, index) => {
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    const bytes = body.subarray(at, at + length);
    at += length;
    const format = formats.length === 1 ? formats[0] : formats[index];
    if (format === 1) return new Uint8Array(bytes);
    const word = bytes.toString();
    if (word.includes('\0')) throw refused('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
    return /^-?(?:0|[1-9]\d{0,17})$/.test(word) && word !== '-0' ? BigInt(word) : word;
  });
}
