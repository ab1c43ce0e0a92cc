import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { openSocket } from './http-client.ts';
import { keeper, Nginx, needsNginx } from './nginx.ts';
import { findSystemProgram } from './system-program.ts';

const caddy = findSystemProgram({ names: ['caddy'], package: 'caddy', orElse: 'brew install caddy' });
const haproxy = findSystemProgram({ names: ['haproxy'], package: 'haproxy', orElse: 'brew install haproxy' });

const missing = [needsNginx, caddy.needs, haproxy.needs].flatMap((needs: { skip?: string }) => needs.skip ?? []);

/** What a test that needs all proxies gives to `test`. */
export const needsProxies: { readonly skip?: string } = missing.length === 0 ? {} : { skip: missing.join('; ') };

/** A proxy with its configuration of `ops`, in front of nodes on this machine. It ends with its test. */
export interface ShippedProxy {
  readonly name: 'nginx' | 'Caddy' | 'HAProxy';
  readonly port: number;
}

/** Each of the proxies that `ops` has a configuration for, in front of the same nodes. */
export async function startProxies(
  t: Pick<TestContext, 'after'>,
  nodes: readonly number[],
): Promise<readonly ShippedProxy[]> {
  const { port } = await Nginx.start(t, await Nginx.port(), nodes);
  return [{ name: 'nginx', port }, await startCaddy(t, nodes), await startHaproxy(t, nodes)];
}

async function startCaddy(t: Pick<TestContext, 'after'>, nodes: readonly number[]): Promise<ShippedProxy> {
  const port = await fixedPort();
  const site = edited('caddy/Caddyfile', [
    ['api.example.com {', `http://:${port} {`],
    [/to 10\..*/, `to ${nodes.map((node) => `127.0.0.1:${node}`).join(' ')}`],
  ]);
  // Its interface for commands has a port of its own, which a test needs not.
  const argv = (file: string) => [caddy.path!, 'run', '--adapter', 'caddyfile', '--config', file];
  await run(t, port, `{\n\tadmin off\n}\n${site}`, argv);
  return { name: 'Caddy', port };
}

async function startHaproxy(t: Pick<TestContext, 'after'>, nodes: readonly number[]): Promise<ShippedProxy> {
  const port = await fixedPort();
  const servers = nodes.map((node, index) => `    server node${index + 1} 127.0.0.1:${node}\n`).join('');
  const configuration = edited('haproxy/haproxy.cfg', [
    [/bind :443 .*/, `bind 127.0.0.1:${port}`],
    [/( {4}server node.*\n)+/, servers],
    [/ {4}user .*\n {4}group .*\n/, ''],
    ['log /dev/log local0', 'log stdout format raw local0'],
  ]);
  await run(t, port, configuration, (file) => [haproxy.path!, '-db', '-f', file]);
  return { name: 'HAProxy', port };
}

/** The file as it is shipped, with what an operator sets in it. */
function edited(file: string, changes: readonly (readonly [from: string | RegExp, to: string])[]): string {
  let text = readFileSync(fileURLToPath(new URL(`../../ops/${file}`, import.meta.url)), 'utf8');
  for (const [from, to] of changes) {
    const replaced = text.replace(from, () => to);
    if (replaced === text) throw new Error(`${file} has no ${from}`);
    text = replaced;
  }
  return text;
}

async function run(
  t: Pick<TestContext, 'after'>,
  port: number,
  configuration: string,
  argv: (file: string) => readonly string[],
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-proxy-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'configuration');
  writeFileSync(file, configuration);
  const child = spawn('/bin/sh', ['-c', keeper, 'keeper', ...argv(file)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: directory },
    detached: true,
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  t.after(async () => {
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const listens = () =>
    openSocket(port).then(
      (socket) => {
        socket.destroy();
        return true;
      },
      () => false,
    );
  await eventually('the proxy listens', listens).catch((error: Error) => {
    throw new Error(`${error.message}; it said: ${said}`);
  });
}
