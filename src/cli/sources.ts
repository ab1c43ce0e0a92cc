import type { SourceChanges } from '../management/source-reload.ts';
import type { SourceView } from '../management/views.ts';
import type { DoubtView } from '../operator/doubt.ts';
import { CommandError, exitCodes } from './failure.ts';
import { askSources, commandServer, privateUrl } from './private-listener.ts';
import { actorOf, storeCommand } from './store-command.ts';
import { type Cell, harmless, type Paint, table } from './style.ts';

const list = storeCommand({
  name: 'sources list',
  summary: 'show where market data comes from, in order of preference',
  details: ['Asks the running server; if none answers, it shows the configuration alone and says so.'],
  examples: {
    'mdapi sources list': 'which sources deliver, which make prices, and how old those are at worst',
  },
  async work({ configuration, context: { clock }, paint }) {
    const views = await askSources(configuration.admin, clock);
    if (views === undefined) {
      const sources = configuration.sources.map(({ id, kind }) => ({ id, kind }));
      const rows = sources.map(({ id, kind }) => [id, kind]);
      const notes = ['No server answers: these are the configured sources.'];
      return { json: { sources }, text: table(['SOURCE', 'KIND'], rows, paint, ''), notes };
    }
    const isElsewhere = views.some(({ connection }) => connection === null);
    const elsewhere = 'Another process runs the feed: ask that one for paths and connections.';
    const doubted = views.flatMap(({ doubts = [] }) => doubts);
    const texts = [
      sourceTable(views, isElsewhere, paint),
      ...(doubted.length === 0 ? [] : [doubtTable(doubted, paint)]),
    ];
    return { json: { sources: views }, text: texts.join('\n\n'), notes: isElsewhere ? [elsewhere] : [] };
  },
});

function sourceTable(views: readonly SourceView[], isElsewhere: boolean, paint: Paint): string {
  const rows = views.map((view): Cell[] => {
    const { id, kind, markets, doubts = [] } = view;
    const counts = [markets.used, markets.standby, markets.stale, markets.excluded].map(String);
    const doubted = doubts.length === 0 ? '' : { text: String(doubts.length), paint: paint.bad };
    const path = pathCell(view, isElsewhere, paint);
    return [id, kind, path, connectionCell(view, paint), ...counts, polledCell(view, paint), oldestCell(view), doubted];
  });
  const counted = ['USED', 'STANDBY', 'STALE', 'EXCLUDED', 'POLLED', 'OLDEST', 'DOUBTED'];
  return table(['SOURCE', 'KIND', 'PATH', 'CONNECTION', ...counted], rows, paint, '');
}

/** The share of the markets it prices that come over REST: `92 %`. A server of an earlier version does not say. */
function polledCell({ served }: Partial<SourceView>, paint: Paint): Cell {
  if (served === undefined || served.markets === 0) return '-';
  const percent = Math.ceil((100 * served.polled) / served.markets);
  return served.polled === 0 ? '0 %' : { text: `${percent} %`, paint: paint.bad };
}

/** How long ago a price of it was last proved current, at worst, and of which market. */
function oldestCell({ served }: Partial<SourceView>): string {
  const oldest = served?.oldest ?? null;
  return oldest === null ? '-' : `${(oldest.ageMs / 1000).toFixed(1)} s ${oldest.market}`;
}

function pathCell({ paused, path, flow }: SourceView, isElsewhere: boolean, paint: Paint): Cell {
  if (paused) return 'paused';
  if (isElsewhere) return '-';
  if (flow?.state === 'silent') return { text: 'silent', paint: paint.bad };
  return { text: path ?? 'not chosen yet', paint: path === 'live' ? paint.good : paint.bad };
}

function connectionCell({ connection, bannedUntil }: SourceView, paint: Paint): Cell {
  if (bannedUntil != null) return { text: `banned until ${bannedUntil}`, paint: paint.bad };
  return connection ?? '-';
}

function doubtTable(doubts: readonly DoubtView[], paint: Paint): string {
  const rows = doubts.map(({ source, market, bid, ask, why, served }) => [
    source,
    market,
    `${bid} / ${ask}`,
    why,
    served,
  ]);
  return table(['DOUBTED', 'MARKET', 'BID / ASK', 'WHY', 'SERVED INSTEAD'], rows, paint, '');
}

const reload = storeCommand({
  name: 'sources reload',
  summary: 'have the running server take over the sources of its configuration',
  details: [
    'Sources are added, removed, paused and put in another order without a restart; those that stay as they are keep their connections. If anything but `sources` and `pricing.sources` changed, or anything is wrong, the server refuses it all and goes on as before.',
    'Of several servers, tell each.',
  ],
  examples: {
    'mdapi sources reload': 'after a change of `sources` in mdapi.yaml',
  },
  async work({ options, configuration: { admin }, context, store }) {
    const asked = { operation: 'reloadSources', path: '/api/sources/reload' };
    const answered = await commandServer({ admin, clock: context.clock, store }, asked, actorOf(options, context));
    const answer = (answered ?? {}) as Partial<SourceChanges & Record<'code' | 'detail', string>>;
    const { changes, code, detail } = answer;
    if (changes !== undefined) return { json: answer, text: changes.join('\n') || 'Nothing has changed.' };
    if (detail === undefined) {
      throw new CommandError(exitCodes.failure, 'no_answer', `No server answers at ${privateUrl(admin)}.`);
    }
    const exitCode = code === 'CONFLICT' ? exitCodes.configurationRefused : exitCodes.failure;
    throw new CommandError(exitCode, 'not_reloaded', harmless(detail));
  },
});

export const commands = [list, reload];
