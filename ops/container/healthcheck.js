// Whether the service in this container takes traffic: exit code 0 or 1, and why on one line. The private listener
// is asked on loopback, which it is on by default and reached over with 0.0.0.0 or :: too. A port or a host of its own
// has to come from the environment, for the configuration file is not read here.
const { MDAPI_ADMIN_HOST: host = '127.0.0.1', MDAPI_ADMIN_PORT: port = '9090' } = process.env;
const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/readyz`;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  process.stdout.write(`${response.status} ${await response.text()}\n`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`${url} does not answer: ${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
