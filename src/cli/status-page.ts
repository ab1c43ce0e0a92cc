import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, version } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand } from './store-command.ts';

export const statusPageExport: Command = storeCommand({
  name: 'status-page export',
  summary: 'write the status page as files for another host',
  details: [
    'The page holds the last 90 days and the announced maintenance as they are now, in English and Czech, with an Atom feed. In a browser it asks the service itself how it is, and says at once when there is no answer. Needs server.baseUrl.',
    'Run it again, such as every five minutes, to bring the history up to date. Files are replaced one by one and none is deleted.',
  ],
  positionals: [{ name: 'DIR', summary: 'directory for the files; it is made when it is missing' }],
  examples: { 'mdapi status-page export /srv/status': 'for a web server, or to upload to another host' },
  async work({ input, context, store, configuration }) {
    const { server, portal, limits } = configuration;
    if (server.baseUrl === undefined) {
      const message = 'The page has to know where clients reach the service. Set server.baseUrl.';
      throw new CommandError(exitCodes.configurationRefused, 'base_url_missing', message);
    }
    const { publicUrls } = await import('../configuration/configuration.ts');
    const { logoRefused } = await import('../configuration/load.ts');
    const { openApiDocument } = await import('../contract/openapi.ts');
    const { exportedStatus } = await import('../portal/status-export.ts');
    const { portalBrand } = await import('../portal/portal-brand.ts');
    const { loadStatusHistory } = await import('../persistence/status-recorder.ts');
    const { windowBody } = await import('../board/service-board.ts');
    const urls = publicUrls(server, server.port);
    const now = context.clock.now();
    const windows = await store.windows.list({ currentAt: now });
    const brand = portalBrand(portal, logoRefused);
    const offer = { ...urls, document: openApiDocument({ ...urls, limits }), version, brand };
    const history = await loadStatusHistory(store, now);
    const files = exportedStatus(offer, { now, history, windows: windows.map(windowBody) });
    const directory = resolve(context.cwd, input.argument('DIR'));
    for (const [path, text] of files) writeWhole(resolve(directory, path), Buffer.from(text, 'latin1'));
    const names = [...files.keys()];
    return { json: { directory, files: names }, text: `Wrote ${names.length} files to ${directory}.` };
  },
});

/** A reader never gets half a file. */
function writeWhole(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}
