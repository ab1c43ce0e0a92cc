import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { ask } from '../fixture/ask.ts';
import { findProgram, MeasuredProcess } from '../processes.ts';
import type { Scope } from '../scope.ts';
import type { Recording } from './answers.ts';

const command = findProgram('nginx');

/** nginx on the measured core, serving the recorded bytes as files; `undefined` where it is not installed. */
export async function startNginx(
  scope: Scope,
  recording: Recording,
): Promise<{ process: MeasuredProcess; url: string } | undefined> {
  if (command === undefined) return undefined;
  const directory = join(scope.directory, 'nginx');
  mkdirSync(directory);
  for (const { path, gzip, bodyBase64 } of recording.answers) {
    writeFileSync(join(directory, fileOf(path) + (gzip ? '.gz' : '')), Buffer.from(bodyBase64, 'base64'));
  }
  const port = await fixedPort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(directory, port));
  const args = ['-p', directory, '-e', join(directory, 'error.log'), '-c', file];
  const child = scope.own(new MeasuredProcess({ core: 'measured', command, args }));
  const url = `http://127.0.0.1:${port}`;
  await eventually('nginx answers', () => ask(url, '').catch(() => undefined));
  return { process: child, url };
}

function fileOf(path: string): string {
  const symbol = /symbol=(\w+)$/.exec(path)?.[1];
  return symbol === undefined ? 'tickers.json' : `ticker-${symbol}.json`;
}

function configuration(directory: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(directory, kind)};`)
    .join('\n  ');
  return `
daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
events {}
http {
  ${temporary}
  access_log off;
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  gzip_static on;
  open_file_cache max=200;
  server {
    listen 127.0.0.1:${port};
    location = /v1/tickers { alias ${join(directory, 'tickers.json')}; }
    location = /v1/ticker { alias ${directory}/ticker-$arg_symbol.json; }
  }
}
`;
}
