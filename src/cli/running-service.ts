import pino from 'pino';
import type { Configuration } from '../configuration/configuration.ts';
import { type Service, startService } from '../main.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';
import { version } from './version.ts';

/** Starts the service for a command. Throws `CommandError` with one clear line for what an operator can mend. */
export async function startFor(
  context: Pick<Context, 'clock' | 'randomness' | 'stderr'> & Partial<Pick<Context, 'signal'>>,
  configuration: Configuration,
  only?: 'feed' | 'api',
): Promise<Service> {
  const { clock, randomness, stderr, signal } = context;
  const log = pino({ level: configuration.logs.level, base: null }, { write: (line: string) => stderr.write(line) });
  try {
    return await startService({ configuration, clock, randomness, log, version, signal, only });
  } catch (error) {
    throw listenFailure(error, configuration) ?? tlsFailure(error, configuration) ?? error;
  }
}

/** Resolves when the process is told to stop. */
export function told(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** What a refused listen means and how to mend it; `undefined` for any other error. */
function listenFailure(error: unknown, { admin }: Configuration): CommandError | undefined {
  const { code, port, address, syscall } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return undefined;
  const settings = port === admin.port ? 'admin.port or MDAPI_ADMIN_PORT' : '--port, server.port or MDAPI_SERVER_PORT';
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} is already in use. Stop what uses it, or choose another with ${settings}.`,
    EACCES: `Port ${port} may not be listened on by this user. Choose one above 1023 with ${settings}.`,
    EADDRNOTAVAIL: `This machine has no address ${address}. Set server.host or admin.host to one it has.`,
    ENOTSUP:
      'This system lets no two processes listen on one port. Set server.reusePort or MDAPI_SERVER_REUSE_PORT to false.',
    ENOTFOUND: 'The host to listen on cannot be resolved. Set server.host or admin.host to an address of this machine.',
  };
  const message = reasons[code ?? ''];
  return message === undefined ? undefined : new CommandError(exitCodes.failure, 'cannot_listen', message);
}

/** What is wrong with the files of `server.tls`; `undefined` for any other error. */
function tlsFailure(error: unknown, { server: { tls } }: Configuration): CommandError | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (tls === undefined) return undefined;
  if (path === tls.certFile || path === tls.keyFile) {
    const key = path === tls.certFile ? 'server.tls.certFile' : 'server.tls.keyFile';
    return new CommandError(exitCodes.failure, 'tls_unusable', `Cannot read ${key}, ${path} (${code}).`);
  }
  if (!code.startsWith('ERR_OSSL')) return undefined;
  const message = 'The files of server.tls.certFile and server.tls.keyFile are no certificate and its key in PEM form';
  return new CommandError(exitCodes.failure, 'tls_unusable', `${message} (${code}).`);
}
