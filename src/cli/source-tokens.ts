import { generateSourceToken, tokenDigest } from '../access/operator-token.ts';
import { sourceTokenView } from '../operator/token.ts';
import type { Command } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand, yesOption } from './store-command.ts';
import { type Cell, harmless, instantCell, type Paint, pairs, stateCell, table } from './style.ts';

const create = storeCommand({
  name: 'sources token',
  summary: 'create a token for an engine of your own',
  details: [
    'The engine sends it as `Authorization: Bearer …` when it connects to /ingest/v1 of the private listener. It opens that one source and nothing else.',
    'The token is printed only once: the database holds its SHA-256.',
  ],
  positionals: [{ name: 'ID', summary: 'a source of kind push, as in `sources` of the configuration' }],
  examples: [{ line: 'mdapi sources token engine', note: 'with sources: [{ id: engine, kind: push }]' }],
  mayCreate: true,
  async work({ input, store, configuration, context, paint }) {
    const source = input.argument('ID');
    const own = configuration.sources.filter(({ kind }) => kind === 'push').map(({ id }) => id);
    if (!own.includes(source)) {
      const known = own.length === 0 ? 'There is none of kind push.' : `Of kind push are ${own.join(', ')}.`;
      throw new CommandError(
        exitCodes.notFound,
        'source_unknown',
        `There is no source "${harmless(source)}" of kind push in the configuration. ${known}`,
      );
    }
    const text = generateSourceToken(context.randomness);
    const token = sourceTokenView(await store.sourceTokens.insert(source, tokenDigest(text)));
    return {
      json: { ...token, token: text },
      text: pairs([['Token', text], ...linesOf(token, paint)], paint),
      notes: ['The token is shown only once and stored nowhere. Save it now, as you would a password.'],
    };
  },
});

const list = storeCommand({
  name: 'sources tokens',
  summary: 'list the tokens of engines, oldest first',
  details: [],
  examples: [{ line: 'mdapi sources tokens', note: 'which are still usable' }],
  async work({ store, paint }) {
    const tokens = (await store.sourceTokens.list()).map(sourceTokenView);
    const rows = tokens.map(({ id, source, state, createdAt }) => [
      id,
      source,
      stateCell(state, paint),
      instantCell(createdAt),
    ]);
    return { json: { tokens }, text: table(['ID', 'SOURCE', 'STATE', 'CREATED'], rows, paint, 'No tokens.') };
  },
});

const revoke = storeCommand({
  name: 'sources revoke',
  summary: 'revoke the token of an engine for good',
  details: ['A connection that was opened with it ends within a second.'],
  positionals: [{ name: 'ID', summary: 'the token’s id, tok_…' }],
  options: [yesOption],
  examples: [{ line: 'mdapi sources revoke tok_4fGh72Kq0ZsTn1Lw', note: 'asks first at a terminal' }],
  async work({ input, store, paint, confirm }) {
    const id = input.argument('ID');
    await confirm(`Revoke ${harmless(id)}? This is final.`);
    const token = sourceTokenView(await store.sourceTokens.revoke(id));
    return { json: token, text: pairs(linesOf(token, paint), paint) };
  },
});

function linesOf(token: ReturnType<typeof sourceTokenView>, paint: Paint): (readonly [string, Cell])[] {
  return [
    ['Id', token.id],
    ['Source', token.source],
    ['State', stateCell(token.state, paint)],
  ];
}

export const sourceTokenCommands: readonly Command[] = [create, list, revoke];
