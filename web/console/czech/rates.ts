import type { Rate, RateFaultCode } from '../../generated/management-v1.d.ts';
import type { WordsFor } from '../format/said.ts';
import { dayText } from '../format/time.ts';

/** Why a rate is held, in Czech. */
export const heldRateWhys: Readonly<Record<NonNullable<Rate['held']>['reason'], string>> = {
  bound:
    'je dál než guard.ratePercent od platného: potvrdí ho další fixing zdroje, nebo hodina stejných hodnot tam, kde zdroj data neuvádí',
  ceiling:
    'je dál než guard.rateCeilingPercent od platného nebo od včerejšího: potvrdí ho jen druhý zdroj nebo operátor',
  contradicted: 'druhý zdroj uvádí jiný a žádný kurz ještě není: potvrdí ho jen druhý zdroj nebo operátor',
  unconfirmed: 'ani platný nikdy nic nepotvrdilo: ceny nejsou, dokud druhý zdroj nebo operátor nepotvrdí jeden z nich',
};

type Failed = Extract<RateFaultCode, { readonly code: 'failed' }>['values'];

const failures: Readonly<Record<Failed['kind'], string>> = {
  network: 'bez spojení',
  timeout: 'odpověď nepřišla včas celá',
  too_large: 'odpověď je příliš dlouhá',
  status: 'zdroj odpověděl chybou',
  rate_limited: 'zdroj má příliš mnoho dotazů',
  banned: 'zdroj zatím nechce další dotaz',
  malformed: 'odpověď nelze přečíst',
  refused: 'zdroj dotaz odmítl',
  unknown_symbol: 'zdroj trh nezná',
  aborted: 'čtení bylo přerušeno',
};

/** Why a reading gave no rate. */
export const rateFaults: WordsFor<RateFaultCode> = {
  implausible: () => 'takový kurz být nemůže',
  fixing_undated: () => 'fixing nemá čitelné datum',
  fixing_too_old: ({ daysMax }) => `fixing je starší než ${daysMax} dní`,
  fixing_in_future: () => 'fixing má datum v budoucnosti',
  fixing_older: ({ fixing }) => `fixing z ${dayText(fixing)} je starší než platný`,
  no_rates: () => 'odpověď neobsahuje seznam kurzů',
  no_rate: ({ currency }) => `odpověď neobsahuje kurz ${currency}`,
  several_rates: ({ currency }) => `odpověď nemá právě jeden kurz ${currency}`,
  not_decimal: () => 'kurz nebo množství není číslo',
  incomplete: () => 'dokument není celý',
  not_one_day: () => 'dokument není právě z jednoho dne',
  pointer_to_nothing: ({ setting, pointer }) => `${setting} „${pointer}“ v odpovědi nevede k číslu`,
  no_ticker: () => 'burza pro trh nic nedala',
  no_bid_or_ask: () => 'burza nemá nákupní, nebo prodejní cenu',
  crossed: () => 'nákupní cena není kladná, nebo je nad prodejní',
  // More of it is as a system or another program says it.
  failed: ({ kind, detail }) => `${failures[kind]} (${detail})`,
};
