import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { version } from '../ground/version.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand } from './store-command.ts';

const exportPage = storeCommand({
  name: 'status-page export',
  summary: 'write the status page as files for another host',
  details: [
    'The page holds the last 90 days, the incidents and the announced maintenance as they are now, in English and Czech, with an Atom feed. In a browser it asks the service at server.baseUrl every five seconds how it is.',
    'Run it again, such as every five minutes, to bring the history up to date. It deletes no file.',
  ],
  positionals: { DIR: { summary: 'directory for the files; it is made when it is missing' } },
  examples: {
    'mdapi status-page export /srv/status': 'for a web server, or to upload to another host',
  },
  async work({ positionals, context, store, configuration }) {
    const { server, portal, limits, timeZone } = configuration;
    if (server.baseUrl === undefined) throw baseUrlMissing();
    const { publicUrls } = await import('../configuration/configuration.ts');
    const { logoRefused } = await import('../configuration/load.ts');
    const { openApiDocument } = await import('../contract/openapi.ts');
    const { exportedStatus } = await import('../portal/status-export.ts');
    const { portalBrand } = await import('../portal/portal-brand.ts');
    const { loadStatusHistory } = await import('../persistence/status-recorder.ts');
    const { loadWrittenIncidents } = await import('../persistence/store-follower.ts');
    const { windowBody } = await import('../board/service-board.ts');
    const urls = publicUrls(server, server.port);
    const now = context.clock.now();
    const windows = await store.windows.list({ currentAt: now });
    const brand = portalBrand(portal, logoRefused);
    const offer = { ...urls, document: openApiDocument({ ...urls, limits }), version, brand, timeZone };
    const history = await loadStatusHistory(store, now);
    const written = await loadWrittenIncidents(store, now);
    const files = exportedStatus(offer, { now, history, written, windows: windows.map(windowBody) });
    const directory = resolve(context.cwd, positionals.DIR);
    for (const [path, text] of files) writeWhole(resolve(directory, path), Buffer.from(text, 'latin1'));
    const names = [...files.keys()];
    return { json: { directory, files: names }, text: `Wrote ${names.length} files to ${directory}.` };
  },
});

export const commands = [exportPage];

function baseUrlMissing(): CommandError {
  const message = 'The page has to know where clients reach the service. Set server.baseUrl.';
  return new CommandError(exitCodes.configurationRefused, 'base_url_missing', message);
}

/** A reader never gets half a file. */
function writeWhole(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}
