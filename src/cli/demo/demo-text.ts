import { relative } from 'node:path';
import type { Context } from '../context.ts';
import { paintFor } from '../style.ts';
import type { StandInExchange } from './stand-in-exchange.ts';

/** All that a newcomer needs to try the demo. */
export interface DemoAddresses {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly key: string;
  readonly operatorToken: string;
  readonly exchange: StandInExchange;
  readonly configFile: string;
}

export function demoJson({
  baseUrl,
  adminUrl,
  exchange,
  configFile,
  ...secrets
}: DemoAddresses): Record<string, string> {
  return {
    baseUrl,
    key: secrets.key,
    referenceUrl: `${baseUrl}/docs`,
    openApiUrl: `${baseUrl}/openapi/v1.json`,
    adminUrl,
    consoleUrl: `${adminUrl}/console/`,
    operatorToken: secrets.operatorToken,
    exchangeControlUrl: exchange.controlUrl,
    configFile,
  };
}

export function demoText(addresses: DemoAddresses, context: Pick<Context, 'stdout' | 'env' | 'cwd'>): string {
  const { baseUrl, adminUrl, key, operatorToken, exchange } = addresses;
  const paint = paintFor(context);
  const configFile = relative(context.cwd, addresses.configFile);
  const curl = (path: string) => `  curl -H 'X-EXCHANGE-APIKEY: ${key}' '${baseUrl}${path}'`;
  return [
    paint.heading(`Final client prices of a stand-in exchange, on ${baseUrl}`),
    '',
    `  API key            ${key}`,
    `  Reference          ${baseUrl}/docs`,
    `  Console            ${adminUrl}/console/`,
    `  Operator token     ${operatorToken}`,
    `  Private listener   ${adminUrl}  (/livez /readyz /metrics)`,
    `  Exchange control   ${exchange.controlUrl}  (rehearse an outage)`,
    '',
    paint.heading('Try it'),
    curl('/v1/ticker?symbol=BTCCZK'),
    curl('/v1/tickers'),
    curl('/v1/status'),
    '',
    paint.heading('Operate it'),
    `  npm run mdapi -- markets list --config ${configFile}`,
    `  npm run mdapi -- price BTCCZK --config ${configFile}`,
    '',
    paint.faint('Ctrl-C ends it.'),
    '',
  ].join('\n');
}
