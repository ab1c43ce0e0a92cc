import type { FoundCondition } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import type { WordsFor } from '../format/said.ts';
import { localText } from '../format/time.ts';
import { word } from '../language.ts';
import { doubtWhys, servedText } from './doubts.ts';
import { pendingText } from './pending.ts';
import { heldRateWhys } from './rates.ts';
import { storeErrorText } from './store-errors.ts';

type ValuesOf<Code extends FoundCondition['code']> = Extract<FoundCondition, { readonly code: Code }>['values'];

/** The sentence of each condition. */
export const conditions: WordsFor<FoundCondition> = {
  // The process.
  Starting: () => 'API klíče se ještě načítají',
  Draining: () => 'služba se vypíná',
  Maintenance: ({ toMs, description }) => `údržba do ${localText(toMs, 'full')}: ${description}`,
  LogNotWritten: ({ trouble, lost }) =>
    `log nelze zapisovat (${trouble === 'not read' ? 'nikdo ho nečte' : trouble}), ztracené řádky: ${lost}. Odpovědi jdou dál`,
  InternalErrors: () => 'Některý požadavek selhal kvůli vadě',
  RequestsShed: ({ overload }) =>
    overload === null ? 'Požadavky se odmítají kvůli přetížení' : overloadText(overload),
  ConnectionsDropped: () => 'Spojení se odmítají',
  CertificateEndsSoon: ({ days }) => `certifikát TLS vyprší; zbývá dní: ${days}`,
  CertificateExpired: () => 'certifikát TLS vypršel',

  // Market data.
  MarketDataLate: () => 'Tržní data se opožďují',
  MarketDataOutage: () => 'Tržní data nepřišla pět minut',
  NoMarketData: () => 'Od spuštění nepřišla žádná tržní data',
  StatusChanged: ({ ticker }) => `tržní data: ${word(ticker, 'cs')}`,
  FeedOnFallback: ({ markets, polled, standby, silent }) =>
    `trhy s cenou, které nejdou nejlepší cestou: ${polled + standby + silent} z ${markets} (přes REST ${polled}, z náhradního zdroje ${standby}, nedodávané ${silent})`,
  MarketPricesOld: ({ old, markets, oldest }) =>
    `ceny potvrzené naposledy před více než 15 s, které nejdou živě: ${old} z ${markets}; nejstarší je ${oldest.market} ze zdroje ${oldest.source}, ${oldest.seconds} s`,
  MarketsMissing: ({ markets }) =>
    `chybí na seznamu burzy nebo v něm skončily a budou vyřazeny, pokud se nevrátí: ${fewText(markets)}`,
  DelistingHeldBack: ({ markets }) => `vyřazení čeká na operátora: ${fewText(markets)}`,
  MarketsWait: ({ source, reason, count, markets }) => `${source}: ${pendingText(reason, count)}: ${fewText(markets)}`,
  SourceLost({ source, seconds, others }) {
    const span = seconds === null ? 'zatím bez spojení' : `bez spojení ${seconds} s`;
    const makers = others.map((other) => `trhy na ${other.source}: ${other.markets}`).join(', ');
    return `${source}: ${span}; ${makers || 'jeho ceny netvoří žádný jiný zdroj'}`;
  },
  SourceDoubted({ source, reason, markets: { first, more } }) {
    const named = first.map(({ market, bid, ask, ...served }) => {
      return `${market} ${grouped(bid, 'cs')} / ${grouped(ask, 'cs')} (platí ${servedText(served)})`;
    });
    return `${source}: zpochybněno, ${word(reason, 'cs')}: ${fewText({ first: named, more })}. Důvod: ${doubtWhys[reason]}`;
  },

  // The store and the record.
  StoreUnreachable: ({ trouble }) =>
    trouble === null
      ? 'databázi nelze použít: klíče, trhy a údržby jsou podle posledního známého stavu'
      : `nic nelze uložit: ${storeErrorText(trouble.code ?? '', trouble.values) ?? trouble.text}`,
  StoreDamaged: ({ finding }) => `soubor databáze je poškozen, obnovte zálohu: ${finding}`,
  StoreMassChangeHeld: ({ keys, windows, terms }) =>
    `z databáze zmizely a dál se používají: klíče ${keys}, údržby ${windows}, podmínky ${terms}. Vraťte databázi, nebo spusťte \`mdapi store accept-changes\``,
  StoreMadeNew: ({ database }) =>
    `databáze ${database} neexistovala a tento start vytvořil novou: nemá žádný klíč, a dokud ho nemá, nikdo není obsloužen`,
  JustUpgraded: ({ kept }) =>
    `tento start aktualizoval databázi. Návrat: zastavte službu, spusťte \`mdapi store restore ${kept} --replace\` a předchozí verzi`,
  RecordHasGap: () => 'Záznam cen a odpovědí má mezeru',
  RecordEndsSilent: ({ chain, endsAtMs }) =>
    `proces řetězce ${chain} se neozývá: jeho část záznamu končí ${localText(endsAtMs, 'full')}`,
  RecordNotWritten: () => 'Záznam cen a odpovědí nelze zapisovat',
  RecordAltered: (found) => `záznam není takový, jak byl: ${alteredText(found)}. Spusťte \`mdapi history verify\``,

  // Prices and rates.
  MarketsWithoutPrice: ({ count, reason }) => `obchodované trhy bez ceny: ${count} (${word(reason, 'cs')})`,
  MostMarketsWithoutPrice: () => 'Více než polovina trhů, které mají mít cenu, žádnou nemá',
  PricesHeld: ({ holder, markets }) =>
    `ceny ${holder === 'operator' ? 'podržené operátorem' : 'zadržené pojistkou'}: ${fewText(markets)}`,
  RateDoubted: ({ quote, mid, inForce, reason }) =>
    `kurz ${quote} ${mid} je zadržen, ${inForce === null ? 'žádný kurz neplatí' : `platí dál ${inForce}`}: ${heldRateWhys[reason]}`,
  RateUnconfirmed: ({ quote, mid }) => `kurz ${quote} ${mid} byl první vůbec a kromě jeho zdroje ho nic nepotvrdilo`,
  RateSourcesDiffer: ({ quote, mid, second, secondMid, percent }) =>
    `platí kurz ${quote} ${mid}, a ${second} uvádí ${secondMid} (${percent} %)`,
  RateSecondLost: ({ quote, second, hours }) =>
    `kurz ${quote} není s čím porovnat: ${second} nelze načíst už tolik hodin: ${hours}`,
  RateEndsSoon: ({ quote, hours }) => `kurz ${quote} lze použít ještě tolik hodin: ${hours}`,
  RateGone: ({ quote }) => `Není platný kurz ${quote}`,

  // Several processes, clocks.
  FeedAlone: () => 'proces přijímá data sám, dokud Redis neurčí, kdo vede',
  FeedLeaseLost: ({ trouble }) => `vedení příjmu dat nelze získat: ${trouble}`,
  LimitsCountedAlone: () => 'Redis nelze použít: proces počítá limity sám',
  ClockOff: ({ seconds }) => clockText(seconds, 'Redis'),
  ClockWrong: ({ seconds, sources }) => clockText(seconds, fewText(sources)),

  // Clients.
  KeyBreachesLimit: ({ keyId, requests, minutes }) =>
    `limit odmítl požadavky klíče ${keyId}: ${requests}, v tolika minutách: ${minutes}`,
  NoticesDelayed: () => 'E-mailová upozornění držitelům klíčů se neodesílají',
  NoticesFailing: ({ pending }) => `poslední e-mail držiteli klíče se nepodařilo odeslat; čeká jich ${pending}`,
};

function fewText({ first, more }: { readonly first: readonly string[]; readonly more: number }): string {
  return `${first.join(', ')}${more > 0 ? ` a další: ${more}` : ''}`;
}

type Overloaded = NonNullable<ValuesOf<'RequestsShed'>['overload']>;

function overloadText({ signal, step, value, bound, late }: Overloaded): string {
  const keyless = step === 1 ? 'požadavky bez klíče' : 'požadavky bez klíče a s klíčem na nových spojeních';
  const refused = step === 3 ? 'všechny požadavky kromě /v1/time a /v1/status' : keyless;
  const delay = late === null ? '' : ` a opožděné o ${late.value} ms (mez ${late.bound} ms)`;
  const cause = {
    load: `obsluhující vlákno je vytížené na ${value} % (mez ${bound} %)${delay}`,
    heap: `využití haldy ${value} % (mez ${bound} %)`,
    unsent: `${value} MiB odpovědí čeká na své klienty (mez ${bound} MiB)`,
  }[signal];
  return `přetížení: ${cause}; odmítají se ${refused}`;
}

function alteredText({ what, chain, number, day }: ValuesOf<'RecordAltered'>): string {
  if (what === 'moved') return 'jeho soubor nebo databáze byla přesunuta nebo vyměněna';
  const found = { cut_off: 'odříznuto, řetězec končí před ním', exchanged: 'vyměněno' }[what];
  return `${day === null ? '' : `${day}: `}řetězec ${chain}, segment ${number}: ${found}`;
}

function clockText(seconds: number, others: string): string {
  const side = seconds > 0 ? 'jdou napřed' : 'jsou pozadu';
  return `hodiny procesu ${side} o ${Math.abs(seconds)} s proti: ${others}`;
}
