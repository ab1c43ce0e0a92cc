import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, version } from './command.ts';
import { failure } from './failure.ts';
import { storeCommand } from './store-command.ts';

export const statusPageExport: Command = storeCommand(
  'status-page export',
  async ({ input, context, store, configuration }) => {
    const { server, portal, limits } = configuration;
    if (server.baseUrl === undefined) throw failure('base_url_missing');
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
);

/** A reader never gets half a file. */
function writeWhole(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}
