import { connect, type SecureVersion } from 'node:tls';
import { tlsTexts } from './tls-files.ts';

/** One request on a connection of its own: whether it resumed the given session, and the session it leaves. */
export function visit(port: number, session?: Buffer, version: SecureVersion = 'TLSv1.3') {
  const { promise, resolve, reject } = Promise.withResolvers<{ isResumed: boolean; session: Buffer }>();
  const versions = { minVersion: version, maxVersion: version };
  const socket = connect({ port, servername: 'localhost', ca: tlsTexts.authority, ...versions, session });
  let left: Buffer | undefined;
  let isResumed = false;
  socket.on('session', (given: Buffer) => {
    left = given;
  });
  socket.on('secureConnect', () => {
    isResumed = socket.isSessionReused();
  });
  socket.on('error', reject);
  socket.on('close', () => resolve({ isResumed, session: left! }));
  socket.resume();
  socket.write('GET /v1/time HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return promise;
}
