import { generateToken, tokenDigest } from '../access/operator-token.ts';
import type { SourceChanges } from '../management/source-reload.ts';
import { makeTicket } from '../operator/ticket.ts';
import { sourceTokenView } from '../operator/token.ts';
import type { Command } from './command.ts';
import { CommandError, exitCodes, failure } from './failure.ts';
import { askServer, askSources, privateUrl } from './private-listener.ts';
import { actorOf, storeCommand } from './store-command.ts';
import { type Cell, factsOf, harmless, listing, type Paint, pairs, table } from './style.ts';
import { idFrom } from './values.ts';

const list = storeCommand('sources list', async ({ configuration, context: { clock }, paint }) => {
  const views = await askSources(configuration.admin, clock);
  const sources = views ?? configuration.sources.map(({ id, kind }) => ({ id, kind }));
  const isElsewhere = views?.some(({ connection }) => connection === null) === true;
  const rows = views?.map(({ id, kind, paused, path, flow, connection, markets, doubts = [] }) => [
    id,
    kind,
    paused
      ? 'paused'
      : isElsewhere
        ? '-'
        : flow?.state === 'silent'
          ? { text: 'silent', paint: paint.bad }
          : { text: path ?? 'not chosen yet', paint: path === 'live' ? paint.good : paint.bad },
    connection ?? '-',
    ...[markets.used, markets.standby, markets.stale, markets.excluded].map(String),
    doubts.length === 0 ? '' : { text: String(doubts.length), paint: paint.bad },
  ]);
  const titles = ['SOURCE', 'KIND', 'PATH', 'CONNECTION', 'USED', 'STANDBY', 'STALE', 'EXCLUDED', 'DOUBTED'];
  const configured = configuration.sources.map(({ id, kind }) => [id, kind]);
  const text = table(rows === undefined ? titles.slice(0, 2) : titles, rows ?? configured, paint, '');
  const doubted = (views ?? [])
    .flatMap(({ doubts = [] }) => doubts)
    .map(({ source, market, bid, ask, why, served }) => [source, market, `${bid} / ${ask}`, why, served]);
  const which = table(['DOUBTED', 'MARKET', 'BID / ASK', 'WHY', 'SERVED INSTEAD'], doubted, paint, '');
  return {
    json: { sources },
    text: doubted.length === 0 ? text : `${text}\n\n${which}`,
    notes: rows === undefined ? [unanswered] : isElsewhere ? [elsewhere] : [],
  };
});

const unanswered = 'No server answers: these are the configured sources.';
const elsewhere = 'Another process runs the feed: ask that one for paths and connections.';

const reload = storeCommand('sources reload', async ({ configuration: { admin }, context, store }) => {
  const headers = { Authorization: `Bearer ${await makeTicket(store, actorOf(context), context.randomness)}` };
  const asked = askServer(admin, context.clock, '/api/sources/reload', { method: 'POST', headers });
  const answer = ((await asked) ?? {}) as Partial<SourceChanges & Record<'code' | 'detail', string>>;
  const { changes, code, detail } = answer;
  if (changes !== undefined) return { json: answer, text: changes.join('\n') || 'Nothing has changed.' };
  if (detail === undefined) throw failure('no_answer', { url: privateUrl(admin) });
  const exitCode = code === 'CONFLICT' ? exitCodes.configurationRefused : exitCodes.failure;
  throw new CommandError(exitCode, 'not_reloaded', harmless(detail));
});

export const sourceCommands: readonly Command[] = [list, reload];

const createToken = storeCommand('sources token', {
  mayCreate: true,
  async work({ input, store, configuration, context, paint }) {
    const source = input.argument('ID');
    const own = configuration.sources.filter(({ kind }) => kind === 'push').map(({ id }) => id);
    if (!own.includes(source)) {
      const known = own.length === 0 ? 'There is none of kind push.' : `Of kind push are ${own.join(', ')}.`;
      throw failure('source_unknown', { source: harmless(source), known });
    }
    const text = generateToken('source', context.randomness);
    const token = sourceTokenView(await store.sourceTokens.insert(source, tokenDigest(text)));
    return {
      json: { ...token, token: text },
      text: pairs([['Token', text], ...linesOf(token, paint)], paint),
      notes: ['The token is shown only once and stored nowhere. Save it now, as you would a password.'],
    };
  },
});

const listTokens = storeCommand('sources tokens', async ({ store, paint }) => {
  const tokens = (await store.sourceTokens.list()).map(sourceTokenView);
  const shown = { ID: 'id', SOURCE: 'source', STATE: 'state', CREATED: 'createdAt' } as const;
  return { json: { tokens }, text: listing(tokens, shown, paint, 'No tokens.') };
});

const revokeToken = storeCommand('sources revoke', {
  read: idFrom,
  async work({ values: id, store, paint, confirm }) {
    await confirm(`Revoke ${harmless(id)}? This is final.`);
    const token = sourceTokenView(await store.sourceTokens.revoke(id));
    return { json: token, text: pairs(linesOf(token, paint), paint) };
  },
});

function linesOf(token: ReturnType<typeof sourceTokenView>, paint: Paint): (readonly [string, Cell])[] {
  return factsOf(token, { Id: 'id', Source: 'source', State: 'state' }, paint);
}

export const sourceTokenCommands: readonly Command[] = [createToken, listTokens, revokeToken];
