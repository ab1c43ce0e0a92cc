import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { openSocket } from './http-client.ts';
import { findSystemProgram } from './system-program.ts';

const found = findSystemProgram({ names: ['nginx'], package: 'nginx-light', orElse: 'brew install nginx' });

/** What a test that needs nginx gives to `test`. */
export const needsNginx: { readonly skip?: string } = found.needs;

const shipped = fileURLToPath(new URL('../../ops/nginx/', import.meta.url));

/** nginx has no need to be root, so whoever is lends it nobody's user. */
const unprivileged = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Ends nginx when its own input ends: so it is gone with the test process, however that ends. */
export const keeper = '"$@" </dev/null & read -r end; kill $! 2>/dev/null; wait $!';

/** A real nginx with the configuration of ops/nginx in front of nodes on this machine. It ends with its test. */
export class Nginx {
  readonly port: number;
  readonly #directory: string;

  private constructor(port: number, directory: string) {
    this.port = port;
    this.#directory = directory;
  }

  /** A port for {@link start}, known beforehand so that the nodes can be configured with it. */
  static port(): Promise<number> {
    return fixedPort();
  }

  static async start(t: Pick<TestContext, 'after'>, port: number, nodes: readonly number[]): Promise<Nginx> {
    const directory = mkdtempSync(join(tmpdir(), 'mdapi-nginx-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    mkdirSync(join(directory, 'temporary'));
    if (unprivileged.uid !== undefined) {
      chmodSync(directory, 0o755);
      for (const path of [directory, join(directory, 'temporary')]) {
        chownSync(path, unprivileged.uid, unprivileged.gid);
      }
    }
    copyFileSync(join(shipped, 'mdapi-server.conf'), join(directory, 'mdapi-server.conf'));
    writeFileSync(join(directory, 'mdapi.conf'), siteFor(port, nodes, directory));
    writeFileSync(join(directory, 'nginx.conf'), mainFor(directory));
    const nginx = new Nginx(port, directory);
    await nginx.#run(t);
    return nginx;
  }

  /** What it logged of requests. */
  get accessLog(): string {
    return readFileSync(join(this.#directory, 'access.log'), 'utf8');
  }

  /** Its error log. */
  get errorLog(): string {
    return readFileSync(join(this.#directory, 'error.log'), 'utf8');
  }

  async #run(t: Pick<TestContext, 'after'>): Promise<void> {
    const argv = [found.path!, '-p', this.#directory, '-e', 'error.log', '-c', 'nginx.conf'];
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', ...argv], {
      stdio: ['pipe', 'ignore', 'pipe'],
      // Ctrl-C reaches this process alone, which then ends it: the keeper would be gone and nginx not.
      detached: true,
      ...unprivileged,
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    t.after(async () => {
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    await eventually('nginx listens', async () => {
      if (said !== '') throw new Error(`nginx does not start: ${said}`);
      return openSocket(this.port).then(
        (socket) => socket.destroy(),
        () => undefined,
      );
    });
  }
}

/** The site as it is shipped, with what an operator sets in it. */
function siteFor(port: number, nodes: readonly number[], directory: string): string {
  let text = readFileSync(join(shipped, 'mdapi.conf'), 'utf8');
  const replace = (from: string | RegExp, to: string | ((...match: string[]) => string)) => {
    const replaced = typeof to === 'string' ? text.replace(from, to) : text.replace(from, to);
    if (replaced === text) throw new Error(`mdapi.conf has no ${from}`);
    text = replaced;
  };
  // The first of the nodes listed there serves as the pattern for all of these.
  replace(/(^ *server )10\.\S+:8080(.*\n)(?: *server 10\..*\n)*/m, (_, before: string, after: string) =>
    nodes.map((node) => `${before}127.0.0.1:${node}${after}`).join(''),
  );
  replace('https://api.example.com/errors', `http://127.0.0.1:${port}/errors`);
  replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`);
  replace(/^ *ssl_certificate .*$/m, '');
  replace(/^ *ssl_certificate_key .*$/m, '');
  replace('/var/log/nginx/mdapi.log', join(directory, 'access.log'));
  return text;
}

/** What the system's own nginx.conf has around a site, for an instance that needs nothing of the system. */
function mainFor(directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${join(directory, 'temporary', kind)};`)
    .join('\n');
  return `daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
events { worker_connections 1024; }
http {
${temporary}
  include mdapi.conf;
}
`;
}
