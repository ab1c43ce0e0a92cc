import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { openSocket } from '../../test/support/http-client.ts';
import { tlsFiles } from '../../test/support/tls-files.ts';
import { startExchange } from '../fixture/exchange.ts';
import { type Installation, install, servedTickers, startService } from '../fixture/service.ts';
import { findProgram, MeasuredProcess } from '../processes.ts';
import type { Scope } from '../scope.ts';

/** A way to reach a service, as operators have it. */
export interface Way {
  readonly name: 'plain' | 'own TLS' | 'nginx with TLS';
  readonly url: string;
  readonly isSecure: boolean;
  /** The service, and what is in front of it. */
  readonly processes: readonly MeasuredProcess[];
  readonly keys: readonly string[];
}

const shipped = new URL('../../ops/nginx/', import.meta.url).pathname;
/** All connections come from one address. */
const server = { maxConnections: 20_000, trustedProxies: ['127.0.0.1'] };

export async function startWays(scope: Scope, markets: number): Promise<readonly Way[]> {
  const exchange = await startExchange(scope, markets / 2, 10);
  const start = async (name: string, tls: object) => {
    const installation = await install(scope, name, exchange, undefined, { ...server, ...tls });
    return { installation, service: await startService(scope, installation) };
  };
  const plain = await start('plain', {});
  const own = await start('own', { tls: { certFile: tlsFiles.cert, keyFile: tlsFiles.key } });
  await servedTickers(plain.service, plain.installation.keys[0]!, markets);
  await tickersOverTls(own.service.baseUrl, own.installation, markets);
  const plainWay: Way = {
    name: 'plain',
    url: plain.service.baseUrl,
    isSecure: false,
    processes: [plain.service.process],
    keys: plain.installation.keys,
  };
  const ownWay: Way = {
    ...plainWay,
    name: 'own TLS',
    url: own.service.baseUrl,
    isSecure: true,
    processes: [own.service.process],
    keys: own.installation.keys,
  };
  const nginx = await startNginx(scope, Number(new URL(plainWay.url).port));
  if (nginx === undefined) return [plainWay, ownWay];
  const { process, url } = nginx;
  return [
    plainWay,
    ownWay,
    { ...plainWay, name: 'nginx with TLS', url, isSecure: true, processes: [...plainWay.processes, process] },
  ];
}

/** The certificate's authority is known to tests alone. */
async function tickersOverTls(url: string, { keys }: Installation, count: number): Promise<void> {
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  const { readFileSync } = await import('node:fs');
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(tlsFiles.authority, 'utf8')]);
  await eventually(
    'all tickers over TLS',
    async () => {
      const answer = await fetch(`${url}/v1/tickers`, { headers: { 'X-EXCHANGE-APIKEY': keys[0]! } });
      return ((await answer.json()) as { tickers?: unknown[] }).tickers?.length === count;
    },
    120_000,
  );
}

/** nginx with the shipped configuration on the measured core; `undefined` where it is not installed. */
async function startNginx(scope: Scope, node: number): Promise<{ process: MeasuredProcess; url: string } | undefined> {
  const command = findProgram('nginx');
  if (command === undefined) return undefined;
  const directory = join(scope.directory, 'front');
  mkdirSync(directory);
  const port = await fixedPort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(directory, port, node));
  const args = ['-p', directory, '-e', join(directory, 'error.log'), '-c', file];
  const process = scope.own(new MeasuredProcess({ core: 'measured', command, args }));
  await eventually('nginx listens', () =>
    openSocket(port).then(
      (socket) => socket.destroy(),
      () => undefined,
    ),
  );
  return { process, url: `https://127.0.0.1:${port}` };
}

/** The site as it is shipped: one worker, which is measured, so without a master. */
function configuration(directory: string, port: number, node: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
worker_rlimit_nofile 20000;
events { worker_connections 10000; }
http {
  ${temporary.map((kind) => `${kind}_temp_path ${join(directory, kind)};`).join('\n  ')}
  upstream mdapi {
    server 127.0.0.1:${node};
    keepalive 64;
    keepalive_timeout 60s;
    keepalive_requests 100000;
  }
  map $host $mdapi_errors_url { default https://localhost/errors; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${tlsFiles.cert};
    ssl_certificate_key ${tlsFiles.key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:mdapi_tls:10m;
    ssl_session_timeout 2h;
    access_log off;
    include ${join(shipped, 'mdapi-server.conf')};
  }
}
`;
}
