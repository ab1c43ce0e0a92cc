import type { SourceView } from '../admin/views.ts';
import type { Command } from './command.ts';
import { askServer } from './private-listener.ts';
import { storeCommand } from './store-command.ts';
import { table } from './style.ts';

const list: Command = storeCommand({
  name: 'sources list',
  summary: 'show where market data comes from, in order of preference',
  details: ['Asks the running server; if none answers, it shows the configuration alone and says so.'],
  examples: [{ line: 'mdapi sources list', note: 'which sources deliver, and which make prices' }],
  async work({ configuration, context: { clock }, paint }) {
    const answer = (await askServer(configuration.admin, clock, '/sources')) as Answer | null | undefined;
    const views = Array.isArray(answer?.sources) ? answer.sources : undefined;
    const sources = views ?? configuration.sources.map(({ id, kind }) => ({ id, kind }));
    const isElsewhere = views?.some(({ connection }) => connection === null) === true;
    const rows = views?.map(({ id, kind, path, connection, markets: { used, standby, stale, excluded } }) => [
      id,
      kind,
      isElsewhere ? '-' : { text: path ?? 'not chosen yet', paint: path === 'live' ? paint.good : paint.bad },
      connection ?? '-',
      ...[used, standby, stale, excluded].map(String),
    ]);
    const titles = ['SOURCE', 'KIND', 'PATH', 'CONNECTION', 'USED', 'STANDBY', 'STALE', 'EXCLUDED'];
    const configured = configuration.sources.map(({ id, kind }) => [id, kind]);
    return {
      json: { sources },
      text: table(rows === undefined ? titles.slice(0, 2) : titles, rows ?? configured, paint, ''),
      notes: rows === undefined ? [unanswered] : isElsewhere ? [elsewhere] : [],
    };
  },
});

const unanswered = 'No server answers: these are the configured sources.';
const elsewhere = 'Another process runs the feed: ask that one for paths and connections.';

interface Answer {
  readonly sources?: readonly SourceView[];
}

export const sourceCommands: readonly Command[] = [list];
