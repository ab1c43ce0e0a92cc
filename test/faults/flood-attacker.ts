import { once } from 'node:events';
import { connect } from 'node:net';

/** Run as a process of its own, so that what it costs is not the service's: attacks a port until it is killed. */
const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const keyless = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const pages = keyless('/docs').repeat(5_000);

/** A socket from one of many addresses of this machine. */
function open(index: number) {
  const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.${1 + (index % 50)}.1` });
  return socket.on('error', () => {});
}

const sockets = Array.from({ length: count }, (_, index) => open(index).pause());
const connected = sockets.map((socket) => once(socket, 'connect'));
for (const socket of sockets) socket.write(pages);
open(0).resume().write(keyless('/').repeat(700_000));
await Promise.all(connected);
process.send?.('sent');
