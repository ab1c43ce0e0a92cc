import { connect, type Socket } from 'node:net';

/**
 * Run as a process of its own, so that what it costs is not the service's: clients without a key until it is killed.
 */
const [port, addresses, perAddress] = process.argv.slice(2).map(Number) as [number, number, number];
const request = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n';
const dripMs = 1_000;

/** Reads a page whole and then sends the next request a byte a second; begins again when it is ended. */
function drip(localAddress: string): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  let sent = 0;
  const timer = setInterval(() => socket.write(request[sent++ % request.length]!), dripMs);
  socket
    .on('error', () => {})
    .once('close', () => {
      clearInterval(timer);
      setTimeout(() => drip(localAddress), dripMs);
    });
  socket.resume().write(request);
  return socket;
}

const sockets = Array.from({ length: addresses * perAddress }, (_, index) =>
  drip(`127.0.2.${1 + (index % addresses)}`),
);
// One can be ended for another before it has read anything, also by a reset, on which `once` would reject.
await Promise.all(
  sockets.map((socket) => new Promise<unknown>((resolve) => socket.once('data', resolve).once('close', resolve))),
);
process.send?.('read');
