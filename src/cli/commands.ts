import type { Command } from './command.ts';

/** The commands of a noun, or some of them; `load` brings what they stand on. */
type Load = () => Promise<{ readonly commands: readonly Command[] }>;

/**
 * The nouns under their titles of the help, in the order of the help and the reference. A noun has one file, or one in
 * each section it is in, and is loaded when its name is typed: the others would only cost it time.
 */
const nouns: readonly { readonly title: string; readonly files: Readonly<Record<string, Load>> }[] = [
  {
    title: 'The server',
    files: {
      serve: () => import('./serve.ts'),
      demo: () => import('./demo.ts'),
      init: () => import('./init.ts'),
      check: () => import('./check.ts'),
      upgrade: () => import('./upgrade.ts'),
      watch: () => import('./watch/watch.ts'),
      store: () => import('./store.ts'),
    },
  },
  {
    title: 'Accounts and API keys',
    files: {
      accounts: () => import('./accounts.ts'),
      keys: () => import('./keys.ts'),
      requests: () => import('./requests.ts'),
    },
  },
  {
    title: 'Maintenance windows, incidents and the status page',
    files: {
      maintenance: () => import('./maintenance.ts'),
      incidents: () => import('./incidents.ts'),
      'status-page': () => import('./status-page.ts'),
      subscriptions: () => import('./subscriptions.ts'),
    },
  },
  { title: 'Notices to key holders', files: { notices: () => import('./notices.ts') } },
  { title: 'Alerts to operators', files: { alerts: () => import('./alerts.ts') } },
  { title: 'Operators of the management API and the console', files: { admin: () => import('./admin.ts') } },
  { title: 'Engines of the operator', files: { sources: () => import('./source-tokens.ts') } },
  {
    title: 'Markets',
    files: {
      markets: () => import('./markets.ts'),
      price: () => import('./price.ts'),
      rates: () => import('./rates.ts'),
      terms: () => import('./terms.ts'),
      sources: () => import('./sources.ts'),
    },
  },
  { title: 'Changes that need a second person', files: { approvals: () => import('./approvals.ts') } },
  { title: 'What was quoted, when, to whom', files: { history: () => import('./history.ts') } },
  { title: 'The shell', files: { completion: loadCompletion } },
];

/** The commands under a title. */
export interface Section {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Every command under its title. */
export function loadSections(): Promise<readonly Section[]> {
  return Promise.all(nouns.map(async ({ title, files }) => ({ title, commands: await loadAll(Object.values(files)) })));
}

/** Every command. */
export async function loadCommands(): Promise<readonly Command[]> {
  return (await loadSections()).flatMap(({ commands }) => commands);
}

/** The commands of a noun, such as `keys`, or the one of that name; none for any other word. */
export function loadNoun(noun: string): Promise<readonly Command[]> {
  return loadAll(
    nouns.flatMap(({ files }) => Object.entries(files).flatMap(([name, load]) => (name === noun ? [load] : []))),
  );
}

async function loadCompletion() {
  const { completionOf } = await import('./completion.ts');
  return { commands: [completionOf(loadCommands)] };
}

async function loadAll(files: readonly Load[]): Promise<readonly Command[]> {
  const loaded = await Promise.all(files.map((load) => load()));
  return loaded.flatMap(({ commands }) => commands);
}
