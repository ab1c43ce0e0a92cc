import type { Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { portFlags } from './port-flags.ts';
import { configurationFor } from './with-store.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  details: [
    'Runs until it is told to stop (Ctrl-C or SIGTERM): it then lets answers under way finish and saves what it knows.',
    'The upstream may be down: the server starts, GET /v1/status answers, and prices come as soon as there are any.',
  ],
  options: [{ name: 'port', value: 'PORT', summary: 'port of the public listener, instead of the configured one' }],
  examples: [
    { line: 'mdapi serve', note: 'with mdapi.yaml of this directory, if there is one' },
    { line: 'mdapi serve --config /etc/mdapi/mdapi.yaml', note: 'with another configuration' },
  ],
  async run(input, context) {
    // Loaded here, so that the short commands do not wait for the whole server to load.
    const { startFor, told } = await import('./running-service.ts');
    const { signal } = context;
    const { configuration } = await configurationFor(input, context, portFlags(input));
    const service = await startFor(context, configuration);
    const { baseUrl, port, adminUrl } = service;
    context.stdout.write(
      input.json
        ? `${JSON.stringify({ baseUrl, port, adminUrl })}\n`
        : `Serving ${baseUrl} (port ${port}); private listener ${adminUrl}\n`,
    );
    await told(signal);
    await service.stop();
    return exitCodes.ok;
  },
};
