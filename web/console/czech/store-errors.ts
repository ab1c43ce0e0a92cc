import type { StoreErrorCode, StoreErrorValues } from '../../../src/store/store-error.ts';
import { localText } from '../format/time.ts';
import { approvalStates, approvalValues } from './approvals.ts';

type Words = { readonly [Code in StoreErrorCode]?: (values: StoreErrorValues[Code]) => string };

/** What the store refused or why it failed, as far as a page shows it. Any other is shown in English. */
export const storeErrors: Words = {
  // The engine, the file or the server.
  'cannot_open.file': ({ path }) =>
    `Databázi ${path} nelze otevřít. Zkontrolujte cestu a práva tohoto uživatele ke čtení a zápisu.`,
  'cannot_open.no_tls': ({ name }) =>
    `Databáze ${name} nenabízí TLS. Zapněte na ní \`ssl\`; sslmode=disable je pro soukromé sítě.`,
  'cannot_open.connection': ({ name, said }) =>
    `Databáze ${name} odmítá spojení: „${said}“. Opravte URL, uživatele a heslo v ní, nebo prostředníka před ní, pokud tam je.`,
  'cannot_open.no_database': ({ name }) =>
    `Databáze ${name} neexistuje. Vytvořte ji s tímto uživatelem jako vlastníkem.`,
  'unreachable.server': ({ name }) =>
    `Databáze ${name} není dostupná. Zkontrolujte, zda server běží a má správnou adresu.`,
  'unreachable.connection': ({ name, said }) =>
    `Databáze ${name} teď nedává spojení: „${said}“. Zkontrolujte server i prostředníka před ním, pokud tam je.`,
  'unreachable.no_connection_left': ({ name }) =>
    `Databáze ${name} nemá volné spojení. Zvyšte max_connections, nebo zavřete, co je drží.`,
  'unreachable.no_resources': ({ name }) =>
    `Databázi ${name} chybí paměť nebo jiný prostředek. Podívejte se do logu jejího serveru.`,
  'no_answer.hanging': ({ name }) => `Databáze ${name} neodpovídá. Zkontrolujte server a síť k němu.`,
  'no_answer.timeout': ({ name }) => `Databáze ${name} neodpověděla včas. Zkontrolujte server a síť k němu.`,
  'access_denied.user': ({ name }) =>
    `Databáze ${name} odmítá tohoto uživatele. Zkontrolujte uživatele v URL, jeho heslo (MDAPI_STORE_FILE, PGPASSFILE) a pg_hba.conf.`,
  'access_denied.right': ({ name }) =>
    `Databáze ${name} nedává tomuto uživateli potřebné právo. Učiňte ho vlastníkem jejích tabulek.`,
  too_slow: ({ name }) => `Databáze ${name} odpovídala příliš dlouho. Hledejte dlouhé transakce a přetížený stroj.`,
  not_a_database: ({ path }) => `Soubor ${path} není databáze SQLite. Uveďte v \`store\` jiný, nebo tento přesuňte.`,
  'locked.file': ({ path }) => `Databázi ${path} zamkl jiný program. Nechte ho dokončit transakci a zkuste to znovu.`,
  'locked.server': ({ name }) => `Databázi ${name} zamkl jiný program. Nechte ho dokončit transakci a zkuste to znovu.`,
  'locked.conflict': ({ name }) => `Do databáze ${name} ve stejnou chvíli zapisoval jiný program. Zkuste to znovu.`,
  'read_only.file': ({ path }) =>
    `Do databáze ${path} nelze zapisovat. Dejte tomuto uživateli právo zápisu k souboru i k jeho adresáři.`,
  'read_only.server': ({ name }) =>
    `Databáze ${name} je jen pro čtení: záložní, nebo tak nastavená. Uveďte v \`store\` primární.`,
  'read_only.standby': () => 'Databáze je jen pro čtení: nic nelze uložit.',
  'disk_full.file': ({ path }) => `Disk s databází ${path} je plný. Uvolněte místo.`,
  'disk_full.server': ({ name }) => `Databáze ${name} nemá na disku místo. Uvolněte ho.`,
  unwritable: ({ path }) =>
    `Disk s databází ${path} už nic nepřijme: selhává, nebo je vyčerpána kvóta či velikost souboru. Uvolněte místo, nebo zvyšte mez.`,
  'damaged.file': ({ path }) => `Databázi ${path} nelze celou přečíst. Zkontrolujte disk a obnovte zálohu.`,
  'damaged.server': ({ name }) => `Databázi ${name} nelze celou přečíst. Zkontrolujte její disk a obnovte zálohu.`,
  'unexpected.file': ({ path, said }) => `Databáze ${path} odmítla: ${said}.`,
  'unexpected.server': ({ name, said }) => `Databáze ${name} odmítla: ${said}.`,
  'unexpected.migration': ({ name }) => `Databázi ${name} se nepodařilo aktualizovat.`,

  // Accounts and keys.
  email_invalid: () => 'E-mailová adresa musí mít tvar jméno@doména.',
  email_taken: ({ email }) => `Účet s adresou ${email} už existuje.`,
  account_unknown: ({ id }) => `Účet ${id} není.`,
  key_unknown: ({ id }) => `Klíč ${id} není.`,
  key_revoked: ({ id }) => `Klíč ${id} je zneplatněn, a to natrvalo. Vytvořte nový.`,
  'key_not_active.disabled': ({ id }) => `Klíč ${id} je zakázán. Nejprve ho povolte, nebo vytvořte nový.`,
  'key_not_active.expired': ({ id }) => `Klíči ${id} skončila platnost. Vytvořte nový.`,
  key_already_rotated: ({ id, replacedBy }) => `Klíč ${id} už byl vyměněn; nahradil ho ${replacedBy}.`,
  label_invalid: () => 'Popisek má nejvýše 100 znaků bez řídicích znaků.',
  limit_invalid: () => 'Limit je celý počet dotazů za minutu, 1 až 1000000.',
  overlap_in_past: () => 'Souběh starého a nového klíče nesmí skončit v minulosti.',
  'expiry_not_in_future.key': () => 'Konec platnosti klíče musí být v budoucnosti.',
  'expiry_not_in_future.token': () => 'Konec platnosti tokenu musí být v budoucnosti.',

  // Markets and windows.
  market_unknown: ({ symbol }) => `Trh ${symbol} není. Viz \`mdapi markets list\`.`,
  market_delisted: ({ symbol }) => `Trh ${symbol} je vyřazen, a to natrvalo.`,
  alert_unknown: ({ id }) => `Výstraha ${id} netrvá.`,
  window_unknown: ({ id }) => `Údržba ${id} není.`,
  window_order: () => 'Údržba musí skončit později, než začne.',
  window_in_past: () => 'Konec údržby musí být v budoucnosti.',
  window_description: () => 'Údržba potřebuje popis, 1 až 500 znaků, anglicky.',
  window_not_later: ({ id, to }) => `Údržba ${id} už trvá do ${localText(to, 'full')}. Uveďte pozdější konec.`,
  window_not_running: ({ id }) => `Údržba ${id} ještě nezačala. Místo toho ji zrušte.`,
  window_started: ({ id }) => `Údržba ${id} probíhá. Místo toho ji ukončete.`,
  window_over: ({ id, to }) => `Údržba ${id} skončila ${localText(to, 'full')}. Ohlaste novou.`,
  window_cancelled: ({ id }) => `Údržba ${id} byla zrušena.`,

  // Incidents.
  incident_unknown: ({ id }) => `Incident ${id} není.`,
  incident_adopted: ({ id }) => `O výpadku ${id} už někdo píše. Doplňte tento incident.`,
  incident_title: ({ max }) => `Název má 1 až ${max} znaků na jednom řádku.`,
  incident_text: ({ max }) => `Zpráva má text, 1 až ${max} znaků bez řídicích znaků.`,
  incident_review: ({ max }) => `Závěr má 1 až ${max} znaků bez řídicích znaků.`,
  incident_czech: () => 'Čeština stojí vedle angličtiny: napište týž text i anglicky.',
  incident_parts: () => 'Incident se týká alespoň jedné části služby: api, market-data.',
  incident_start: ({ days }) => `Incident už začal, a to nejvýše před ${days} dny.`,
  incident_end: () => 'Incident už skončil, a ne dříve, než začal.',
  incident_unchanged: () => 'Uveďte, co se mění: text, název, části, nebo závěr.',
  incident_resolved: ({ id }) => `Incident ${id} je vyřešen. Napište jeho závěr, nebo otevřete jiný.`,
  incident_not_resolved: ({ id }) => `Incident ${id} není vyřešen. Závěr se píše potom: nejprve ho uzavřete.`,
  incident_full: ({ id, max }) => `Incident ${id} má ${max} zpráv a víc jich nepřijme. Uzavřete ho a otevřete jiný.`,
  incidents_many: ({ max }) => `Otevřených incidentů je ${max}. Nejprve některý uzavřete.`,

  // Terms.
  approval_unknown: ({ id }) => `Navržená změna ${id} není.`,
  approval_decided: ({ id, state, by }) =>
    `O změně ${id} už rozhodl(a) ${by}: ${approvalStates[state as keyof typeof approvalStates] ?? state}.`,
  approval_expired: ({ id, at }) => `Návrh ${id} propadl ${localText(at, 'full')}. Navrhněte ho znovu.`,
  approval_waits: ({ id, by }) => `Stejná změna už čeká: ${id}, navrhl(a) ji ${by}.`,
  approval_too_many: ({ max }) => `Čeká už ${max} změn. Některé nejprve potvrďte nebo odmítněte.`,
  approval_own: ({ id, by, actor }) =>
    `Změnu ${id} navrhl(a) ${by}, což může být stejná osoba jako ${actor}. Potvrdí ji někdo jiný.`,
  approval_outdated: ({ id, what, was, is }) =>
    `Změna ${id} byla navržena pro jiný stav: ${approvalValues[what] ?? what} ${was ?? '–'}, teď ${is ?? '–'}. Nic se nezměnilo. Odmítněte ji a navrhněte znovu.`,
  approval_start: ({ id, from }) =>
    `Podmínka z návrhu ${id} měla začít ${localText(from, 'full')}, což už bylo. Odmítněte ji a navrhněte znovu.`,

  term_unknown: ({ id }) => `Podmínka ${id} není.`,
  term_empty: () => 'Podmínka nastavuje poplatek, přirážku, přesnost nebo zaokrouhlení, případně více z nich.',
  term_value: ({ title }) => termValues[title] ?? `Hodnota není možná (${title}).`,
  'term_scope.subject': () => 'Podmínka platí pro trh, pro kotační měnu, nebo pro celou službu.',
  'term_scope.service': () =>
    'Přirážka nebo přesnost pro celou službu by nepatřila k žádné měně. Uveďte kotační měnu nebo trh.',
  term_start: () => 'Začátek podmínky musí být před rokem 10000.',
  term_cancelled: ({ id }) => `Podmínka ${id} byla zrušena.`,
  term_begun: ({ id, from }) => `Podmínka ${id} platí od ${localText(from, 'full')} a nelze ji zrušit. Nastavte jinou.`,

  // Notices and tokens.
  notice_unknown: ({ id }) => `Zpráva ${id} není.`,
  'token_unknown.operator': ({ id }) => `Token operátora ${id} není. Viz \`mdapi admin tokens\`.`,
  'token_unknown.source': ({ id }) => `Token zdroje ${id} není. Viz \`mdapi sources tokens\`.`,
  token_name_invalid: () =>
    'Název tokenu má 1 až 60 písmen, číslic, mezer a znaků . _ @ - a začíná písmenem nebo číslicí.',
  token_name_taken: ({ id, name }) => `Název „${name}“ už má token ${id}. Nejprve ho zneplatněte, nebo zvolte jiný.`,
};

/** By what the term sets. */
const termValues: Readonly<Record<string, string>> = {
  fee: 'Poplatek je desetinné číslo od 0 do méně než 100, v procentech, nebo inherit.',
  margin: 'Přirážka je desetinné číslo od 0 do méně než 100, v procentech, nebo inherit.',
  precision: 'Přesnost je celé číslo od 0 do 18, nebo inherit.',
  rounding: 'Zaokrouhlení je outward, nearest, nebo inherit.',
};

/** A refusal of the store in Czech; `undefined` where there is none. */
export function storeErrorText(code: string, values: object): string | undefined {
  const words = storeErrors[code as StoreErrorCode] as ((values: object) => string) | undefined;
  return words?.(values);
}
