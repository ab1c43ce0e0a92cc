import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tlsTexts } from '../../test/support/tls-files.ts';

// A process of its own: takes a plan as its argument, and is told each step.

export interface ConnectionPlan {
  readonly port: number;
  readonly isSecure: boolean;
  /** `hold` keeps the connections open until the process is ended. */
  readonly kind: 'full' | 'resumed' | 'hold';
  readonly count: number;
  readonly key: string;
}

/** Answered when it is done. */
export interface ClientStep {
  readonly step: 'prepare' | 'connect';
}

const atOnce = 8;
const ask = (key: string) => `GET /v1/time HTTP/1.1\r\nHost: localhost\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;

let lastSession: Buffer | undefined;

async function open({ port, isSecure }: ConnectionPlan, session?: Buffer): Promise<Socket> {
  if (!isSecure) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return socket;
  }
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: tlsTexts.authority, session });
  socket.on('session', (given: Buffer) => {
    lastSession = given;
  });
  await once(socket, 'secureConnect');
  if (socket.isSessionReused() !== (session !== undefined)) throw new Error('a session was resumed, or not, unasked');
  return socket;
}

/** A request and its answer, after which the server knows the client's key. */
async function use(socket: Socket, key: string): Promise<void> {
  const answer = once(socket, 'data');
  socket.write(ask(key));
  const [text] = (await answer) as [Buffer];
  if (!text.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(text.toString('latin1', 0, 80));
}

/** Makes the connections one after the other, several at once. */
async function connectAll(plan: ConnectionPlan, session: Buffer | undefined): Promise<void> {
  let left = plan.count;
  const work = async () => {
    while (left-- > 0) {
      const socket = await open(plan, session);
      if (plan.kind === 'hold') {
        socket.on('error', () => {});
        await use(socket, plan.key);
      } else {
        socket.end();
        await once(socket.resume(), 'close');
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const plan = JSON.parse(process.argv[2]!) as ConnectionPlan;
let session: Buffer | undefined;
process.on('message', async ({ step }: ClientStep) => {
  if (step === 'connect') await connectAll(plan, session);
  else if (plan.kind === 'resumed' && plan.isSecure) {
    const socket = await open(plan);
    await use(socket, plan.key);
    session = lastSession;
    socket.destroy();
  }
  process.send!({});
});
