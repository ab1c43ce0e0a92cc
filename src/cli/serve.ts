import type { Configuration } from '../configuration/configuration.ts';
import type { Flag } from '../configuration/sources.ts';
import { LogSink, type LogTarget } from '../ground/log-sink.ts';
import { version } from '../ground/version.ts';
import type { Service } from '../main.ts';
import type { ServiceOptions } from '../wiring/service-options.ts';
import { type Context, command, type Output } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { configurationFor } from './store-command.ts';

const serve = command({
  name: 'serve',
  summary: 'run the server',
  details: [
    'Runs until Ctrl-C or SIGTERM, then finishes answers in progress and saves its state. On SIGHUP, unless it runs at a terminal, it does what `sources reload` does.',
    'It also starts while the upstream is down: GET /v1/status answers, and prices follow.',
  ],
  options: {
    port: { value: 'PORT', summary: 'port of the public listener, instead of the configured one' },
    only: {
      value: 'PART',
      values: ['feed', 'api'],
      summary: 'run one part: feed (no public listener) or api (no feed); needs redis in the configuration',
    },
  },
  examples: {
    'mdapi serve --config /etc/mdapi/mdapi.yaml': 'with this configuration',
    'mdapi serve --only api': 'one of several that serve; another process runs the feed',
  },
  async run({ options }, context) {
    const { signal } = context;
    const { only } = options;
    const read = () => configurationFor(options, context, portFlags(options.port));
    const started = await read();
    const { configuration, file } = started;
    const { assertRecordNamed } = await import('../configuration/load.ts');
    assertRecordNamed(started.settings);
    if (only !== undefined && configuration.redis === undefined) {
      throw new UsageError(`--only ${only} needs redis in the configuration, which connects the parts`);
    }
    const reread = async () => {
      const { reloadedConfiguration } = await import('../configuration/reload.ts');
      return reloadedConfiguration(started, await read());
    };
    const service = await startFor(context, configuration, { only, configurationFile: file, reread });
    context.onHangUp?.(() => service.reload().catch(() => {}));
    const { baseUrl, port, adminUrl } = service;
    const json = only === 'feed' ? { adminUrl } : { baseUrl, port, adminUrl };
    const does = only === 'feed' ? 'Feeding' : `Serving ${baseUrl} (port ${port})`;
    context.stdout.write(`${options.json ? JSON.stringify(json) : `${does}; private listener ${adminUrl}`}\n`);
    await untilAborted(signal);
    await service.stop();
    return exitCodes.ok;
  },
});

export const commands = [serve];

/** For the last lines of the log, where its reader is slow. */
const lastLinesMs = 500;

/** `--port` as a setting that overrides the configured one. */
export function portFlags(port: string | undefined): readonly Flag[] {
  return port === undefined ? [] : [{ flag: '--port', key: 'server.port', value: port }];
}

/** Starts the service for a command. Throws `CommandError` with one line for what an operator can fix. */
export async function startFor(
  context: Pick<Context, 'clock' | 'randomness' | 'stderr' | 'logTarget' | 'signal' | 'env'>,
  configuration: Configuration,
  more: Pick<ServiceOptions, 'only' | 'configurationFile' | 'reread'> = {},
): Promise<Service> {
  const { clock, randomness, signal, env } = context;
  // Loaded here, so that the short commands do not wait for the whole server to load.
  const { pino } = await import('pino');
  const { startService } = await import('../main.ts');
  const { ratesOf, unusualRates, unusualText } = await import('../operator/unusual-rates.ts');
  const { takeWayOut } = await import('../feed/ways-out.ts');
  const sink = new LogSink(context.logTarget ?? targetOf(context.stderr), clock);
  const log = pino({ level: configuration.logs.level, base: null }, sink);
  for (const concern of unusualRates(ratesOf(configuration.pricing))) log.warn({}, unusualText(concern));
  const { proxy } = takeWayOut(configuration.network, env);
  if (proxy !== undefined) log.info({ proxy }, 'requests leave this machine through a proxy');
  try {
    const logFigures = () => sink.figures();
    const parts = { configuration, clock, randomness, log, logFigures, version, signal, ...more };
    const service = await startService(parts);
    const stop = async () => {
      await service.stop();
      await sink.end(lastLinesMs);
    };
    return { ...service, stop };
  } catch (error) {
    await sink.end(lastLinesMs);
    throw listenFailure(error, configuration) ?? tlsFailure(error, configuration) ?? error;
  }
}

/** A stream that takes what it is given at once, as those of tests do. */
function targetOf(stderr: Output): LogTarget {
  return {
    write(text, done) {
      stderr.write(text);
      done();
    },
  };
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Why a listen failed and how to fix it; `undefined` for any other error. */
export function listenFailure(error: unknown, { admin }: Configuration): CommandError | undefined {
  const { code, port, address, syscall } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return undefined;
  const settings = port === admin.port ? 'admin.port or MDAPI_ADMIN_PORT' : '--port, server.port or MDAPI_SERVER_PORT';
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is already in use. Stop what uses it, or choose another with ${settings}.`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with ${settings}.`,
    EADDRNOTAVAIL: `This machine has no address ${address}. Set server.host or admin.host to one it has.`,
    ENOTSUP:
      'This system lets no two processes listen on one port. Set server.reusePort or MDAPI_SERVER_REUSE_PORT to false.',
    ENOTFOUND: 'The host to listen on cannot be resolved. Set server.host or admin.host to an address of this machine.',
  };
  const message = messages[code ?? ''];
  return message === undefined ? undefined : new CommandError(exitCodes.failure, 'cannot_listen', message);
}

/** Says what is wrong with the files of `server.tls`; `undefined` for any other error. */
export function tlsFailure(error: unknown, { server: { tls } }: Configuration): CommandError | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (tls === undefined) return undefined;
  if (path === tls.certFile) return tlsUnusable(unreadableFile('server.tls.certFile', path, code));
  if (path === tls.keyFile) return tlsUnusable(unreadableFile('server.tls.keyFile', path, code));
  if (!code.startsWith('ERR_OSSL')) return undefined;
  const isMismatch = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
  const what = isMismatch ? 'do not belong together' : 'are no certificate and its key in PEM form';
  const files = 'The files of server.tls.certFile and server.tls.keyFile';
  return tlsUnusable(`${files} ${what} (${code}). Name a certificate and its key.`);
}

function unreadableFile(key: string, path: string, code: string): string {
  return `Cannot read ${key}, ${path} (${code}). Check that the file exists and that this user may read it.`;
}

function tlsUnusable(message: string): CommandError {
  return new CommandError(exitCodes.failure, 'tls_unusable', message);
}
