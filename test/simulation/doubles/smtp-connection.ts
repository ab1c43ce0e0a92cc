import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { theWorld } from '../world.ts';

type Done = (error: Error | null) => void;

const answerMs = 20;

/** A mail server that takes every message, as the mailer's library speaks to one. */
class SmtpConnection extends EventEmitter {
  connect(done: Done): void {
    theWorld().lane.later(answerMs, () => done(null));
  }

  login(_credentials: unknown, done: Done): void {
    theWorld().lane.later(answerMs, () => done(null));
  }

  send({ to }: { readonly to: string }, content: Readable, done: Done): void {
    const { lane, mails } = theWorld();
    const pieces: Buffer[] = [];
    content.on('data', (piece: Buffer) => pieces.push(piece));
    content.on('error', done);
    content.on('end', () =>
      lane.later(answerMs, () => {
        mails.push({ to, text: Buffer.concat(pieces).toString() });
        done(null);
      }),
    );
  }

  quit(): void {}
  close(): void {}
}

export { SmtpConnection as 'module.exports' };
