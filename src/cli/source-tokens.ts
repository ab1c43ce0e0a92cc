import { generateToken, tokenDigest } from '../access/operator-token.ts';
import { sourceTokenView } from '../operator/token.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand, yes } from './store-command.ts';
import { type Cell, factsOf, harmless, listing, type Paint, pairs } from './style.ts';
import { parseId } from './values.ts';

const create = storeCommand({
  name: 'sources token',
  summary: 'create a token for an engine of your own',
  details: [
    'The engine sends it as `Authorization: Bearer …` when it connects to /ingest/v1 of the private listener. It opens that one source and nothing else.',
  ],
  positionals: { ID: { summary: 'a source of kind push, as in `sources` of the configuration' } },
  examples: {
    'mdapi sources token engine': 'with sources: [{ id: engine, kind: push }]',
  },
  mayCreate: true,
  async work({ positionals: { ID: source }, store, configuration, context, paint }) {
    const own = configuration.sources.filter(({ kind }) => kind === 'push').map(({ id }) => id);
    if (!own.includes(source)) throw sourceUnknown(source, own);
    const text = generateToken('source', context.randomness);
    const token = sourceTokenView(await store.sourceTokens.insert(source, tokenDigest(text)));
    return {
      json: { ...token, token: text },
      text: pairs([['Token', text], ...factsAbout(token, paint)], paint),
      notes: ['The token is shown only once and stored nowhere. Save it now, as you would a password.'],
    };
  },
});

const list = storeCommand({
  name: 'sources tokens',
  summary: 'list the tokens of engines, oldest first',
  examples: {
    'mdapi sources tokens': 'which are still usable',
  },
  async work({ store, paint }) {
    const tokens = (await store.sourceTokens.list()).map(sourceTokenView);
    const columns = { ID: 'id', SOURCE: 'source', STATE: 'state', CREATED: 'createdAt' } as const;
    return { json: { tokens }, text: listing(tokens, columns, paint, 'No tokens.') };
  },
});

const revoke = storeCommand({
  name: 'sources revoke',
  summary: 'revoke the token of an engine for good',
  details: ['A connection that was opened with it ends within a second.'],
  positionals: { ID: { summary: 'the token’s id, tok_…' } },
  options: {
    yes,
  },
  examples: {
    'mdapi sources revoke tok_4fGh72Kq0ZsTn1Lw': 'asks first at a terminal',
  },
  read: ({ positionals }) => parseId(positionals.ID),
  async work({ values: id, store, paint, confirm }) {
    await confirm(`Revoke ${harmless(id)}? This is final.`);
    const token = sourceTokenView(await store.sourceTokens.revoke(id));
    return { json: token, text: pairs(factsAbout(token, paint), paint) };
  },
});

export const commands = [create, list, revoke];

function sourceUnknown(source: string, own: readonly string[]): CommandError {
  const known = own.length === 0 ? 'There is none of kind push.' : `Of kind push are ${own.join(', ')}.`;
  const message = `There is no source "${harmless(source)}" of kind push in the configuration. ${known}`;
  return new CommandError(exitCodes.notFound, 'source_unknown', message);
}

function factsAbout(token: ReturnType<typeof sourceTokenView>, paint: Paint): (readonly [string, Cell])[] {
  return factsOf(token, { Id: 'id', Source: 'source', State: 'state' }, paint);
}
