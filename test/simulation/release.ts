import type { loadConfiguration } from '../../src/configuration/load.ts';
import type { startService } from '../../src/main.ts';
import type { openStore } from '../../src/store/store.ts';

/** A state of the service, as far as a world starts it. */
export interface Release {
  readonly loadConfiguration: typeof loadConfiguration;
  readonly startService: typeof startService;
  readonly openStore: typeof openStore;
}

/** Loads the service of a tree. @param tree ends with a slash */
export async function releaseIn(tree: URL): Promise<Release> {
  const load = (path: string) => import(new URL(`src/${path}`, tree).href);
  const [configuration, main, store] = [
    await load('configuration/load.ts'),
    await load('main.ts'),
    await load('store/store.ts'),
  ];
  const { loadConfiguration } = configuration;
  return { loadConfiguration, startService: main.startService, openStore: store.openStore };
}
