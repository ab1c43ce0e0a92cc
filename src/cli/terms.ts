import { parseSymbol } from '../market/symbol.ts';
import { inherit, type TermField, termFields } from '../market/terms.ts';
import { proposedTerm } from '../operator/approval.ts';
import { type TermView, termView, termViews } from '../operator/term.ts';
import { type TermEffect, termEffect, termRefusal } from '../operator/term-effect.ts';
import { assertTerm, type NewTerm } from '../store/terms.ts';
import { proposedInstead } from './approvals.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { savedBook, storeCommand } from './store-command.ts';
import { type Cell, instantCell, type Paint, pairs, stateCell, table } from './style.ts';
import { parseInstant, parsePercent } from './values.ts';

const show = storeCommand({
  name: 'terms show',
  summary: 'show fee, margin, precision and rounding: what holds and what is announced',
  details: [
    'Of several terms that set the same value the narrowest scope holds: market, then quote currency, then service. What none sets comes from the configuration.',
  ],
  options: {
    all: { summary: 'past and cancelled ones too' },
  },
  examples: {
    'mdapi terms show': 'and `mdapi price SYMBOL` for those of one market',
  },
  async work({ options, store, configuration, context: { clock }, paint }) {
    const markets = await savedBook(store, configuration, clock);
    const views = termViews(markets.terms, await store.terms.list({ withCancelled: true }), clock.now());
    const terms = options.all ? views : views.filter(({ state }) => state === 'holding' || state === 'announced');
    const headings = ['ID', 'STATE', 'FROM', 'FOR', 'FEE %', 'MARGIN %', 'PRECISION', 'ROUNDING'];
    const rows = terms.map((term) => [
      term.id,
      stateCell(term.state, paint),
      term.from === null ? 'configuration' : instantCell(term.from),
      term.subject ?? 'service',
      ...termFields.map((field) => valueCell(term, field)),
    ]);
    return { json: { terms }, text: table(headings, rows, paint, 'No terms.') };
  },
});

function valueCell(term: TermView, field: TermField): string {
  return term.inherits.includes(field) ? inherit : String(term[field] ?? '-');
}

const set = storeCommand({
  name: 'terms set',
  summary: 'set fee, margin, precision or rounding from an instant on',
  details: [
    'For a market, for a quote currency, or, with neither, for the whole service. Every process changes its prices on the instant, without a restart. What begins now begins two seconds later, in all of them together.',
    'The value `inherit` restores that of the next wider scope. Margin and precision are for converted markets.',
    'Shows the effect on the last known prices. What looks like a mistake (a start in the past, a price that moves by over 2 %, a lost price) asks first.',
  ],
  options: {
    from: { value: 'INSTANT', required: true, summary: 'when it begins' },
    market: { value: 'SYMBOL', summary: 'for this market' },
    quote: { value: 'CURRENCY', summary: 'for the markets quoted in this currency' },
    fee: { value: 'PERCENT', summary: 'the fee, such as 0.4' },
    margin: { value: 'PERCENT', summary: 'the currency margin' },
    precision: { value: 'PLACES', summary: 'decimal places of the prices' },
    rounding: {
      value: 'WORD',
      values: ['outward', 'nearest', 'inherit'],
      summary: 'outward (buy up, sell down: the default) or nearest (half to even)',
    },
    yes: { summary: 'do not ask; required without a terminal where there is something to ask' },
  },
  examples: {
    'mdapi terms set --market BTCEUR --fee 0.4 --from 2026-12-01T00:00:00Z': 'one market, from December',
    'mdapi terms set --quote CZK --margin 0.8 --from +1h': 'every market quoted in CZK',
    'mdapi terms set --fee 0.45 --from now': 'the whole service',
  },
  read({ options: { from, market, quote, fee, margin, precision, rounding } }, now) {
    if (market !== undefined && quote !== undefined)
      throw new UsageError('Give either --market or --quote, or neither.');
    const subject = market ?? quote;
    const symbol = subject === undefined ? undefined : parseSymbol(subject);
    if (subject !== undefined && symbol === undefined) {
      throw new UsageError(`"${subject}" is no symbol and no currency.`);
    }
    const narrow = market === undefined ? 'quote' : 'market';
    const term: NewTerm = {
      from: parseInstant(from, now, '--from'),
      scope: subject === undefined ? 'service' : narrow,
      subject: symbol,
      feePercent: parsePercent(fee, '--fee'),
      marginPercent: parsePercent(margin, '--margin'),
      pricePrecision: precision,
      rounding,
    };
    assertTerm(term);
    return term;
  },
  async work(job) {
    const { values: term, store, configuration, paint, confirm } = job;
    const { clock } = job.context;
    const markets = await savedBook(store, configuration, clock);
    const refusal = termRefusal(markets, term);
    if (refusal !== undefined) throw new CommandError(exitCodes.notFound, 'term_for_nothing', refusal.message);
    const effect = termEffect(markets, term, clock.now());
    if (effect.concerns.length > 0) await confirm(`${effect.concerns.join(' ')} Set it?`, true);
    const change = { action: 'term.set', term: proposedTerm(term, clock.now()) } as const;
    const proposed = await proposedInstead(change, job);
    if (proposed !== undefined) return proposed;
    const { id } = await store.terms.add(term);
    const view = termView(id, markets.terms, await store.terms.list(), clock.now());
    return { json: { ...view, effect }, text: `${termText(view, paint)}\n\n${effectText(effect, paint)}` };
  },
});

const cancel = storeCommand({
  name: 'terms cancel',
  summary: 'cancel a term that has not begun',
  details: ['One that has begun ends when you set another.'],
  positionals: { ID: { summary: 'the term’s id, trm_…' } },
  examples: {
    'mdapi terms cancel trm_4fGh72Kq0ZsTn1Lw': 'prices stay as they are',
  },
  async work(job) {
    const { positionals, store, paint } = job;
    const { clock } = job.context;
    const proposed = await proposedInstead({ action: 'term.cancel', id: positionals.ID }, job);
    if (proposed !== undefined) return proposed;
    const record = await store.terms.cancel(positionals.ID);
    const view = termView(record.id, { all: () => [] }, [record], clock.now());
    return { json: view, text: termText(view, paint) };
  },
});

export const commands = [show, set, cancel];

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
