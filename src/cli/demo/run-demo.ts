import { resolve } from 'node:path';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Service } from '../../main.ts';
import type { CommandInput } from '../command.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { portFlags } from '../port-flags.ts';
import { startFor, told } from '../running-service.ts';
import { configurationFor } from '../with-store.ts';
import { adminPort } from './admin-port.ts';
import { writeDemoConfiguration } from './demo-directory.ts';
import { type DemoSecrets, makeDemoSecrets } from './demo-key.ts';
import { type DemoAddresses, demoJson, demoText } from './demo-text.ts';
import { firstPrice } from './first-price.ts';
import { startStandInExchange } from './stand-in-exchange.ts';

/** Runs the stand-in exchange and the server on it until told to stop. */
export async function runDemo(input: CommandInput, context: Context): Promise<ExitCode> {
  const directory = resolve(context.cwd, input.option('dir') ?? '.demo');
  const exchange = await startStandInExchange(context.stderr);
  try {
    const configFile = writeDemoConfiguration(directory, exchange, await adminPort());
    const option = (name: string) => (name === 'config' ? configFile : input.option(name));
    const { configuration } = await configurationFor({ ...input, option }, context, portFlags(input));
    await serveDemo(configuration, context, (service, secrets) => {
      const addresses: DemoAddresses = { ...service, ...secrets, exchange, configFile };
      context.stdout.write(input.json ? `${JSON.stringify(demoJson(addresses))}\n` : demoText(addresses, context));
    });
    return exitCodes.ok;
  } finally {
    await exchange.stop();
  }
}

async function serveDemo(
  configuration: Configuration,
  context: Context,
  ready: (service: Service, secrets: DemoSecrets) => void,
): Promise<void> {
  const { signal } = context;
  const service = await startFor(context, configuration);
  try {
    const secrets = await makeDemoSecrets(configuration.store.url, context);
    if (await firstPrice(service.adminUrl, context.clock, signal)) ready(service, secrets);
    await told(signal);
  } finally {
    await service.stop();
  }
}
