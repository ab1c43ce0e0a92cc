import { parseSymbol } from '../market/symbol.ts';
import { inherit, type TermField, termFields } from '../market/terms.ts';
import { type TermView, termView, termViews } from '../operator/term.ts';
import { type TermEffect, termEffect, termRefusal } from '../operator/term-effect.ts';
import { assertTerm, type NewTerm } from '../store/terms.ts';
import type { Command, CommandInput } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { savedBook, storeCommand } from './store-command.ts';
import { type Cell, instantCell, type Paint, pairs, stateCell, table } from './style.ts';
import { parseInstant, parsePercent } from './values.ts';

const show = storeCommand('terms show', async ({ input, store, configuration, context: { clock }, paint }) => {
  const markets = await savedBook(store, configuration, clock);
  const views = termViews(markets.terms, await store.terms.list({ withCancelled: true }), clock.now());
  const terms = input.isSet('all') ? views : views.filter(({ state }) => state === 'holding' || state === 'announced');
  const headings = ['ID', 'STATE', 'FROM', 'FOR', 'FEE %', 'MARGIN %', 'PRECISION', 'ROUNDING'];
  const rows = terms.map((term) => [
    term.id,
    stateCell(term.state, paint),
    term.from === null ? 'configuration' : instantCell(term.from),
    term.subject ?? 'service',
    ...termFields.map((field) => valueCell(term, field)),
  ]);
  return { json: { terms }, text: table(headings, rows, paint, 'No terms.') };
});

function valueCell(term: TermView, field: TermField): string {
  return term.inherits.includes(field) ? inherit : String(term[field] ?? '-');
}

const set = storeCommand('terms set', {
  read: readTerm,
  async work({ values: term, store, configuration, context: { clock }, paint, confirm }) {
    const markets = await savedBook(store, configuration, clock);
    const refusal = termRefusal(markets, term);
    if (refusal !== undefined) throw new CommandError(exitCodes.notFound, 'term_for_nothing', refusal.message);
    const effect = termEffect(markets, term, clock.now());
    if (effect.concerns.length > 0) await confirm(`${effect.concerns.join(' ')} Set it?`, true);
    const { id } = await store.terms.add(term);
    const view = termView(id, markets.terms, await store.terms.list(), clock.now());
    return { json: { ...view, effect }, text: `${termText(view, paint)}\n\n${effectText(effect, paint)}` };
  },
});

function readTerm(input: CommandInput, now: NewTerm['from']): NewTerm {
  const [market, quote] = [input.option('market'), input.option('quote')];
  if (market !== undefined && quote !== undefined) throw new UsageError('Give either --market or --quote, or neither.');
  const symbol = parseSymbol(market ?? quote ?? 'X0');
  if (symbol === undefined) throw new UsageError(`"${market ?? quote}" is no symbol and no currency.`);
  const term: NewTerm = {
    from: parseInstant(input.required('from'), now, '--from'),
    scope: market !== undefined ? 'market' : quote !== undefined ? 'quote' : 'service',
    subject: (market ?? quote) === undefined ? undefined : symbol,
    feePercent: parsePercent(input.option('fee'), '--fee'),
    marginPercent: parsePercent(input.option('margin'), '--margin'),
    pricePrecision: input.option('precision'),
    rounding: input.option('rounding'),
  };
  assertTerm(term);
  return term;
}

const cancel = storeCommand('terms cancel', async ({ input, store, context: { clock }, paint }) => {
  const record = await store.terms.cancel(input.argument('ID'));
  const view = termView(record.id, { all: () => [] }, [record], clock.now());
  return { json: view, text: termText(view, paint) };
});

export const termCommands: readonly Command[] = [show, set, cancel];

function termText(term: TermView, paint: Paint): string {
  const titles = { feePercent: 'Fee %', marginPercent: 'Margin %', pricePrecision: 'Precision', rounding: 'Rounding' };
  const rows: [string, Cell][] = [
    ['Term', term.id],
    ['State', stateCell(term.state, paint)],
    ['For', term.subject ?? 'the service'],
    ['From', instantCell(term.from)],
  ];
  for (const field of termFields) {
    if (term[field] !== null || term.inherits.includes(field)) rows.push([titles[field], valueCell(term, field)]);
  }
  return pairs(rows, paint);
}

const rowsShown = 10;

function effectText({ affected, changes }: TermEffect, paint: Paint): string {
  if (affected === 0) return 'It changes no market: what it sets holds already, or a narrower term does.';
  const rows = changes
    .slice(0, rowsShown)
    .map(({ symbol, before, after, buyChangePercent, sellChangePercent }) => [
      symbol,
      before?.buyPrice ?? '-',
      `${after?.buyPrice ?? '-'} (${buyChangePercent ?? '-'} %)`,
      before?.sellPrice ?? '-',
      `${after?.sellPrice ?? '-'} (${sellChangePercent ?? '-'} %)`,
    ]);
  const more = affected > rows.length ? `\n${affected - rows.length} more markets change.` : '';
  return `${table(['SYMBOL', 'BUY NOW', 'BUY THEN', 'SELL NOW', 'SELL THEN'], rows, paint, '')}${more}`;
}
