/** The address and the key, as `createClient` takes them. */
export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * `MARKET_DATA_BASE_URL` and `MARKET_DATA_API_KEY` of the environment, only on request:
 * `createClient(fromEnvironment())`. Throws `TypeError` naming the variables that are missing.
 */
export function fromEnvironment(environment: Readonly<Record<string, string | undefined>> = ofProcess()): Access {
  const { MARKET_DATA_BASE_URL: baseUrl, MARKET_DATA_API_KEY: apiKey } = environment;
  if (baseUrl && apiKey) return { baseUrl, apiKey };
  const missing = [baseUrl ? undefined : 'MARKET_DATA_BASE_URL', apiKey ? undefined : 'MARKET_DATA_API_KEY'];
  throw new TypeError(`the environment has no ${missing.filter((name) => name !== undefined).join(' and no ')}`);
}

/** Not every runtime has `process`. */
function ofProcess(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}
