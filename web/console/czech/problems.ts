import type { ProblemDetailCode } from '../../generated/management-v1.d.ts';
import type { WordsFor } from '../format/said.ts';
import { word } from '../language.ts';
import { remedyText } from './pending.ts';
import { termConcerns } from './said.ts';
import { storeErrorText } from './store-errors.ts';

type Concern = Extract<ProblemDetailCode, { readonly code: 'confirm_concerns' }>['values']['concerns'][number];

/** Why a request was refused. */
export const problemDetails: WordsFor<ProblemDetailCode> = {
  store: ({ code, values }) => storeErrorText(code, values),

  not_signed_in: () => 'Přihlaste se tokenem operátora. Vytvoří ho `mdapi admin token`.',
  token_invalid: () => 'Token neplatí. Nový vytvoří `mdapi admin token`; stávající vypíše `mdapi admin tokens`.',
  token_ended: () => 'Token této relace byl zneplatněn, nebo vypršel. Přihlaste se jiným.',
  session_expired: () => 'Relace vypršela. Přihlaste se znovu.',
  role_required: ({ needed, name, role }) =>
    `Je potřeba role ${word(needed, 'cs')}; ${name} má roli ${word(role, 'cs')}.`,
  role_of_programs: ({ name, role }) => `${name} má roli ${word(role, 'cs')}, která je pro programy.`,
  csrf_token: () => 'Hlavička X-CSRF-Token chybí, nebo nepatří této relaci. Vrací ji GET /api/session.',
  other_site: () => 'Požadavek přišel ze stránky jiného webu. Použijte konzoli tohoto serveru.',
  too_many_attempts: () => 'Z této adresy přišlo příliš mnoho chybných tokenů.',

  internal: () => 'Na požadavek nelze odpovědět kvůli vnitřní chybě.',
  body_too_large: () => 'Tělo má více než 64 kB.',
  body_no_json: () => 'Pošlete tělo jako JSON s hlavičkou Content-Type: application/json.',
  body_malformed: () => 'Tělo není platný JSON.',
  body_length: () => 'Tělo nemá délku, kterou uvádí Content-Length.',
  body_no_object: () => 'Tělo musí být objekt JSON.',
  path_escape: () => 'V cestě je znak procenta bez dvou číslic za ním.',
  value_missing: () => 'chybí.',
  value_must: ({ value }) => `musí být ${value}.`,

  confirm_final: ({ what, wanted }) =>
    `${{ delisting: 'Vyřazení', erasing: 'Vymazání' }[what]} je trvalé. Pro potvrzení zopakujte ${wanted}.`,
  confirm_concerns: ({ concerns }) => [...concerns.map(concernText), 'Je-li to tak míněno, potvrďte to.'].join(' '),
  term_market_unknown: ({ symbol }) => `Trh ${symbol} není.`,
  term_quote_unknown: ({ quote }) => `V měně ${quote} se nekotuje žádný trh.`,
  term_not_converted: ({ subject }) => `${subject} se nepřevádí: přirážku nemá a přesnost má od burzy.`,
  market_unknown: () => 'Trh s tímto symbolem není.',
  rate_needs_approval: ({ symbol }) =>
    `Kurz trhu ${symbol} je zadržen a jeho přijetí potvrzuje druhý člověk. Přijměte samotný kurz.`,
  nothing_doubted: ({ symbol }) => `${symbol}: nic není zpochybněno.`,
  nothing_waits: () => 'Tyto trhy už nečekají.',
  not_settled: ({ source, reason }) => `${source}: tak o nich rozhodnout nejde. ${remedyText(reason)}`,
  configuration_none: () => 'Služba nemá konfiguraci, kterou by znovu načetla.',
  configuration_refused: ({ why }) => `Konfigurace je odmítnuta a nic se nezměnilo. ${why}`,
  destination_unknown: () => 'Příjemce tohoto názvu není.',
  request_unknown: () => 'Proces tento dotaz nezná, nebo už nezná.',
  streams_taken: () => 'Proces už má tolik proudů cen, kolik jich přijme.',

  record_none: () => 'Tato služba nic nezaznamenává (history.url: off).',
  record_hold_unknown: () => 'Uchování tohoto čísla není.',
  record_answer_unknown: () => 'V záznamu není odpověď klíči s tímto id.',
  record_price_none: ({ reason }) =>
    reason === null ? 'Záznam pro ten okamžik nemá jeho cenu.' : `Tehdy neměl cenu: ${word(reason, 'cs')}.`,
  record_proof_none: ({ why }) =>
    ({
      unknown: 'V záznamu není odpověď klíči s tímto id.',
      running: 'Jeho minuta ještě není zapečetěna: zkuste to za dvě minuty.',
      older: 'Zaznamenala ho verze bez důkazů: dokazuje ho jen celý záznam.',
      incomplete: 'V záznamu část této odpovědi chybí.',
      changed: 'Záznam není, jak byl zapsán: kde, řekne `mdapi history verify`.',
    })[why],
  span_reversed: () => 'Musí být po začátku.',
  span_too_long: () => 'Nejvýše sedm dní najednou.',
  steps_too_many: ({ count }) => `Nejvýše kroků najednou: ${count}.`,
};

function concernText({ code, values }: Concern): string {
  return (termConcerns[code] as (values: object) => string)(values);
}
