import { once } from 'node:events';
import { connect } from 'node:net';

// A process of its own: takes a plan as its argument, opens the connections, says so, and holds them until it is ended.

export interface HeldConnections {
  readonly port: number;
  readonly count: number;
  readonly key: string;
}

/** Connections that are opened at once, one after the other each. */
const atOnce = 8;

/** Opens a connection that has had an answer, after which the server knows the client's key. */
async function hold({ port, key }: HeldConnections): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.on('error', () => {});
  const answer = once(socket, 'data');
  socket.write(`GET /v1/time HTTP/1.1\r\nHost: localhost\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`);
  const [text] = (await answer) as [Buffer];
  if (!text.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(text.toString('latin1', 0, 80));
}

const plan = JSON.parse(process.argv[2]!) as HeldConnections;
let left = plan.count;
const work = async () => {
  while (left-- > 0) await hold(plan);
};
await Promise.all(Array.from({ length: atOnce }, work));
process.stdout.write('open\n');
