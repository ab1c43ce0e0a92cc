import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as ticks } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { Reply } from './direct-reply.ts';

/** A stream with the one private member of an HTTP server's socket that matters here. */
export class ServedSocket extends PassThrough {
  _paused = false;
  pausesAtFirst = false;
  bytesRead = 0;
  readonly parsed: string[] = [];
  whenParsed: (() => void) | undefined;

  constructor() {
    super();
    this.on('data', (piece: Buffer) => {
      // Node's own assertion, which ends the process.
      assert.ok(!this._paused, 'bytes reach a parser that is paused');
      this.parsed.push(piece.toString());
      this._paused = this.pausesAtFirst;
      this.whenParsed?.();
    });
  }
}

/** An answer whose bytes its client takes when a test says so. */
export class Response extends EventEmitter {
  writableLength = 0;

  take(): void {
    this.writableLength = 0;
    this.emit('finish');
  }
}

/** A connection with what it holds, and the pieces that its parser got. */
export function connected() {
  const socket = new ServedSocket();
  const held = { ahead: 0, unsent: 0, waiting: 0 };
  let arrivedAhead = 0;
  const connection = new Connection(socket as unknown as Socket, 'a', held, () => arrivedAhead++);
  const send = async (bytes: string) => {
    socket.write(bytes);
    await ticks();
  };
  /** Begins an answer and writes it. @param left bytes that the client has not taken at once */
  const answer = (left = 0) => {
    const response = new Response();
    connection.answering(response as unknown as Reply);
    response.writableLength = left;
    connection.answered(response as unknown as Reply, left);
    return response;
  };
  return { socket, connection, held, send, answer, arrivals: () => arrivedAhead };
}
