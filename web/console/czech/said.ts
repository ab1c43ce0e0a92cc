import type {
  PriceStepCode,
  RecordFindingCode,
  SourceChangeCode,
  TermConcernCode,
} from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import type { WordsFor } from '../format/said.ts';
import { localText } from '../format/time.ts';
import { word } from '../language.ts';

/** The steps of a derivation. */
export const priceSteps: WordsFor<PriceStepCode> = {
  quote: ({ side, source }) => `nejlepší ${side}, ${source}`,
  fee: ({ sign, percent }) => `× (1 ${sign} poplatek ${grouped(percent, 'cs')} %)`,
  rate: ({ base, quote, mid }) => `× střední kurz ${base}/${quote} ${grouped(mid, 'cs')}`,
  margin: ({ sign, percent }) => `× (1 ${sign} přirážka ${grouped(percent, 'cs')} %)`,
  rounding({ direction, places }) {
    const way = { up: 'nahoru', down: 'dolů', half_even: 'k nejbližší' }[direction];
    return `zaokrouhleno ${way}, desetinná místa: ${places}`;
  },
};

/** What an operator should confirm of a term. */
export const termConcerns: WordsFor<TermConcernCode> = {
  same_start: ({ terms }) =>
    `${terms.join(', ')} začíná ve stejném okamžiku pro totéž: co nastavují obě, platí podle této.`,
  start_in_past: ({ fromMs }) =>
    `Začátek ${localText(fromMs, 'full')} je v minulosti: co se od té doby kotovalo, zůstává, a podmínka platí od této chvíle.`,
  unusual_rate({ what, percent }) {
    const share = grouped(percent, 'cs');
    return `Neobvyklé: ${word(what, 'cs')} ${share} %. Klienti zaplatí o ${share} % více a dostanou o ${share} % méně.`;
  },
  no_price: ({ markets, more }) =>
    `Bez ceny by zůstaly: ${markets.join(', ')}${more > 0 ? ` a další: ${more}` : ''}. Při této přesnosti se zaokrouhlí na nulu.`,
  prices_move({ symbol, others, overPercent, ...moved }) {
    const { buy, buyBefore, buyPercent, sell, sellBefore, sellPercent } = Object.fromEntries(
      Object.entries(moved).map(([name, decimal]) => [name, grouped(decimal, 'cs')]),
    ) as typeof moved;
    const also = others > 0 ? `; o více než ${overPercent} % se pohnou i další trhy: ${others}` : '';
    const bought = `Klient by ${symbol} kupoval za ${buy} místo ${buyBefore} (${buyPercent} %)`;
    return `${bought} a prodával za ${sell} místo ${sellBefore} (${sellPercent} %)${also}.`;
  },
};

/** What a reload changed. */
export const sourceChanges: WordsFor<SourceChangeCode> = {
  added: ({ source }) => `přidán ${source}`,
  removed: ({ source }) => `odebrán ${source}`,
  changed: ({ source }) => `změněn ${source}`,
  paused: ({ source }) => `pozastaven ${source}`,
  resumed: ({ source }) => `obnoven ${source}`,
  order: ({ sources }) => `pořadí ${sources.join(', ')}`,
  'pricing.sources': () => 'pricing.sources',
};

const found: Readonly<Record<Extract<RecordFindingCode, { readonly code: 'segment' }>['values']['what'], string>> = {
  changed: 'změněno',
  swapped: 'zaměněno',
  missing: 'chybí',
  deletion_unsealed: 'smazání bez pečeti',
  damaged: 'poškozeno',
  cut_off: 'odříznuto, řetězec končí před ním',
  exchanged: 'vyměněno',
};

/** What is not in the record as it was written. */
export const recordFindings: WordsFor<RecordFindingCode> = {
  segment({ what, chain, number, chunk, day }) {
    const of = day === null ? '' : `${day}: `;
    return `${of}řetězec ${chain}, segment ${number}: ${found[what]}${chunk === null ? '' : `, část ${chunk}`}`;
  },
  ledger({ what, kind, number, chain, of }) {
    const subject = {
      run: `běh ${number}`,
      hold: `uchování ${number}`,
      deletion: `smazání ${number} řetězce ${chain}`,
      entry: `zápis ${number} v knize${of === null ? '' : ` (${of})`}`,
    }[kind];
    return `${subject}: ${{ changed: 'změněno', missing: 'chybí', unsealed: 'nezapečetěno' }[what]}`;
  },
  moved: () => 'jeho soubor nebo databáze byla přesunuta nebo vyměněna',
};
