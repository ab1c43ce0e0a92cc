import type { Configuration } from '../configuration/configuration.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { portFlags } from './port-flags.ts';
import { configurationFor } from './with-store.ts';

/** Throws `UsageError` for anything that is no part, and where the parts could not hear of each other. */
function partOf(part: string | undefined, { redis }: Configuration): 'feed' | 'api' | undefined {
  if (part === undefined) return undefined;
  if (part !== 'feed' && part !== 'api') throw new UsageError(`--only takes feed or api, not ${JSON.stringify(part)}`);
  if (redis === undefined) {
    throw new UsageError(`--only ${part} needs redis in the configuration: the parts hear of each other through it`);
  }
  return part;
}

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  details: [
    'Runs until it is told to stop (Ctrl-C or SIGTERM): it then lets answers under way finish and saves what it knows.',
    'The upstream may be down: the server starts, GET /v1/status answers, and prices come as soon as there are any.',
  ],
  options: [
    { name: 'port', value: 'PORT', summary: 'port of the public listener, instead of the configured one' },
    {
      name: 'only',
      value: 'PART',
      summary: 'run one part: feed (no public listener) or api (no feed); needs redis in the configuration',
    },
  ],
  examples: [
    { line: 'mdapi serve', note: 'with mdapi.yaml of this directory, if there is one' },
    { line: 'mdapi serve --config /etc/mdapi/mdapi.yaml', note: 'with another configuration' },
    { line: 'mdapi serve --only api', note: 'one of several that serve; others run the feed' },
  ],
  async run(input, context) {
    // Loaded here, so that the short commands do not wait for the whole server to load.
    const { startFor, told } = await import('./running-service.ts');
    const { signal } = context;
    const { configuration } = await configurationFor(input, context, portFlags(input));
    const only = partOf(input.option('only'), configuration);
    const service = await startFor(context, configuration, only);
    const { baseUrl, port, adminUrl } = service;
    context.stdout.write(
      input.json
        ? `${JSON.stringify(only === 'feed' ? { adminUrl } : { baseUrl, port, adminUrl })}\n`
        : `${only === 'feed' ? 'Feeding' : `Serving ${baseUrl} (port ${port})`}; private listener ${adminUrl}\n`,
    );
    await told(signal);
    await service.stop();
    return exitCodes.ok;
  },
};
