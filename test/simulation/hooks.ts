import { isBuiltin, registerHooks } from 'node:module';

const source = new URL('../../src/', import.meta.url).href;
const simulation = new URL('./', import.meta.url).href;
const double = (name: string) => new URL(`./doubles/${name}.ts`, import.meta.url).href;

/**
 * What a module of the service gets in the place of a part of the platform, of a library, or of what speaks a protocol.
 */
const doubles: Readonly<Record<string, string>> = {
  ws: double('ws'),
  '@redis/client': double('redis-client'),
  fastify: double('fastify'),
  'nodemailer/lib/smtp-connection': double('smtp-connection'),
  'node:http': double('http'),
  'node:net': double('net'),
  'node:fs': double('fs'),
  'node:sqlite': double('sqlite'),
  'node:perf_hooks': double('perf-hooks'),
  'node:v8': double('v8'),
  'node:worker_threads': double('worker-threads'),
  'node:zlib': double('zlib'),
  './layout.ts': double('portal-layout'),
};
/** Only these get theirs: others use no more of it than what is the same for all. */
export const only: Readonly<Record<string, RegExp>> = {
  ws: /\/feed\/live-socket\.ts$/,
  'node:http': /\/http\/http-server\.ts$/,
  'node:net': /\/http\/public-listener\.ts$/,
  'node:fs': /\/history\/(?:reading|record)\/journal\.ts$/,
  'node:zlib': /\/history\/segment\/columns\.ts$/,
  './layout.ts': /\/portal\/pages\.ts$/,
};

/**
 * Has the modules of the service that are loaded from now on find doubles. A thread is its module loaded once more, as
 * `worker.ts?thread=N`: it finds its own port.
 *
 * @param former the tree of another state of the service, whose modules find the same doubles, and the libraries of
 * this one
 */
export function hookDoubles(former?: URL): void {
  const formerSource = former && new URL('src/', former).href;
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      const isFormer = formerSource !== undefined && parentURL.startsWith(formerSource);
      if (!isFormer && !parentURL.startsWith(source)) return next(specifier, context);
      const { search, pathname } = new URL(parentURL);
      if (specifier === 'node:worker_threads' && search !== '')
        return next(`${simulation}doubles/thread-scope.ts${search}`, context);
      const found = doubles[specifier];
      // That of the layout is for the pages of this tree.
      const isOwn = specifier.startsWith('.');
      const isMeant = found !== undefined && (only[specifier]?.test(pathname) ?? true) && !(isFormer && isOwn);
      const isLibrary = !isOwn && !isBuiltin(specifier);
      if (!isMeant) return next(specifier, isFormer && isLibrary ? { ...context, parentURL: source } : context);
      // Those that are required are resolved otherwise.
      return { url: found, format: 'module-typescript', shortCircuit: true };
    },
  });
}
