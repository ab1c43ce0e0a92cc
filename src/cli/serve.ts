import type { Configuration } from '../configuration/configuration.ts';
import type { Flag } from '../configuration/sources.ts';
import type { Service } from '../main.ts';
import type { ServiceOptions } from '../wiring/service-options.ts';
import { type CommandInput, type Context, command, version } from './command.ts';
import { type CommandError, exitCodes, failure, isFailureName } from './failure.ts';
import { configurationFor } from './store-command.ts';

export const serve = command('serve', async (input, context) => {
  const { signal } = context;
  const read = () => configurationFor(input, context, portFlags(input));
  const started = await read();
  const { configuration, file } = started;
  const { assertRecordNamed } = await import('../configuration/load.ts');
  assertRecordNamed(started.settings);
  const only = input.option('only') as ServiceOptions['only'];
  if (only !== undefined && configuration.redis === undefined) throw failure('redis_needed', { only });
  const reread = async () => {
    const { reloadedConfiguration } = await import('../configuration/reload.ts');
    return reloadedConfiguration(started, await read());
  };
  const service = await startFor(context, configuration, { only, configurationFile: file, reread });
  context.onHangUp?.(() => service.reload().catch(() => {}));
  const { baseUrl, port, adminUrl } = service;
  context.stdout.write(
    input.json
      ? `${JSON.stringify(only === 'feed' ? { adminUrl } : { baseUrl, port, adminUrl })}\n`
      : `${only === 'feed' ? 'Feeding' : `Serving ${baseUrl} (port ${port})`}; private listener ${adminUrl}\n`,
  );
  await untilAborted(signal);
  await service.stop();
  return exitCodes.ok;
});

/** `--port` as a setting that overrides the configured one. */
export function portFlags(input: CommandInput): readonly Flag[] {
  const port = input.option('port');
  return port === undefined ? [] : [{ flag: '--port', key: 'server.port', value: port }];
}

/** Starts the service for a command. Throws `CommandError` with one line for what an operator can fix. */
export async function startFor(
  { clock, randomness, stderr, signal }: Pick<Context, 'clock' | 'randomness' | 'stderr' | 'signal'>,
  configuration: Configuration,
  more: Pick<ServiceOptions, 'only' | 'configurationFile' | 'reread'> = {},
): Promise<Service> {
  // Loaded here, so that the short commands do not wait for the whole server to load.
  const { pino } = await import('pino');
  const { startService } = await import('../main.ts');
  const { ratesOf, unusualRates, unusualText } = await import('../operator/unusual-rates.ts');
  const log = pino({ level: configuration.logs.level, base: null }, { write: (line: string) => stderr.write(line) });
  for (const concern of unusualRates(ratesOf(configuration.pricing))) log.warn({}, unusualText(concern));
  try {
    return await startService({ configuration, clock, randomness, log, version, signal, ...more });
  } catch (error) {
    throw listenFailure(error, configuration) ?? tlsFailure(error, configuration) ?? error;
  }
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
  const name = `cannot_listen.${code}`;
  return isFailureName(name) ? failure(name, { port, address, settings }) : undefined;
}

/** Says what is wrong with the files of `server.tls`; `undefined` for any other error. */
export function tlsFailure(error: unknown, { server: { tls } }: Configuration): CommandError | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (tls === undefined) return undefined;
  if (path === tls.certFile || path === tls.keyFile) {
    const key = path === tls.certFile ? 'server.tls.certFile' : 'server.tls.keyFile';
    return failure('tls_unusable.unreadable', { key, path, code });
  }
  if (!code.startsWith('ERR_OSSL')) return undefined;
  return failure(`tls_unusable.${code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' ? 'pair' : 'form'}`, { code });
}
