import { troubles } from './troubles.ts';

/** Sentences of the service by their English. What `{name}` stands for is kept, and translated where it is known. */
export const sentences: Readonly<Record<string, string>> = {
  ...troubles,

  // Alerts.
  'maintenance until {instant}: {description}': 'údržba do {instant}: {description}',
  'the limit refused {requests} requests of key {key} in {minutes} minutes':
    'limit odmítl požadavky klíče {key}: {requests}, v tolika minutách: {minutes}',
  'A test of this destination. Nothing is wrong.': 'Zkouška tohoto příjemce. Vše je v pořádku.',
  '{status}: redirects are not followed': '{status}: přesměrování se nenásledují',
  'no answer in {seconds} s': 'bez odpovědi do {seconds} s',
  'given up: {reason}': 'vzdáno: {reason}',
  'the process stopped': 'proces skončil',
  'no connection': 'bez spojení',
  'not configured': 'není v nastavení',
  // Summaries of alerts.
  'A source has no connection': 'Některý zdroj nemá spojení',
  'The TLS certificate expires soon': 'Certifikátu TLS brzy skončí platnost',
  'The TLS certificate has expired': 'Certifikát TLS vypršel',
  'Market data is not operational': 'Tržní data nejsou v běžném provozu',
  'Maintenance runs': 'Probíhá údržba',
  'A key goes over its limit again and again': 'Některý klíč opakovaně překračuje svůj limit',
  'Market data is late': 'Tržní data se opožďují',
  'Market data has not arrived for five minutes': 'Tržní data nepřišla pět minut',
  'No market data since the start': 'Od spuštění nepřišla žádná tržní data',
  'Market data has been polled for five minutes': 'Tržní data se pět minut stahují dotazy',
  'The exchange no longer lists some markets': 'Burza některé trhy už neuvádí',
  'Delisting is held back and waits for the operator': 'Vyřazení trhů je zadrženo a čeká na operátora',
  'A rate expires soon': 'Některému kurzu brzy skončí platnost',
  'There is no valid rate': 'Některý kurz není platný',
  'Prices are held back': 'Některé ceny jsou zadrženy',
  'Prices of a source are doubted': 'O cenách některého zdroje se pochybuje',
  'The record of quotes and answers has a gap': 'Záznam cen a odpovědí má mezeru',
  'A process ended without closing its record': 'Některý proces skončil a neuzavřel svůj záznam',
  'The record of quotes and answers cannot be written': 'Záznam cen a odpovědí nelze zapisovat',
  'Traded markets have no price': 'Některé obchodované trhy nemají cenu',
  'More than half of the markets have no price': 'Více než polovina trhů nemá cenu',
  'A request failed because of a defect': 'Některý požadavek selhal kvůli vadě',
  'Requests are refused because of overload': 'Požadavky se odmítají kvůli přetížení',
  'Connections are refused': 'Spojení se odmítají',
  'The database cannot be read': 'Databázi nelze číst',
  'The database file is damaged': 'Soubor databáze je poškozen',
  'Very many keys or windows vanished from the database at once':
    'Z databáze naráz zmizelo velmi mnoho klíčů nebo oken',
  'E-mail notices to key holders are not sent': 'E-mailová upozornění držitelům klíčů se neodesílají',
  'A process counts limits alone': 'Některý proces počítá limity sám',
  'The clock of a machine disagrees with the exchanges': 'Hodiny stroje se neshodují s burzami',
  // What needs attention.
  'API keys are still being loaded': 'API klíče se ještě načítají',
  'shutting down': 'služba se vypíná',
  'an announced maintenance window is running': 'probíhá ohlášená údržba',
  'market data: {state}': 'tržní data: {state}',
  '{source}: no connection for {seconds} s; no other source makes its prices':
    '{source}: bez spojení {seconds} s; jeho ceny netvoří žádný jiný zdroj',
  '{source}: no connection for {seconds} s; {others}': '{source}: bez spojení {seconds} s; {others}',
  '{source}: no connection yet; no other source makes its prices':
    '{source}: zatím bez spojení; jeho ceny netvoří žádný jiný zdroj',
  '{source}: no connection yet; {others}': '{source}: zatím bez spojení; {others}',
  '{count} markets on {source}': 'trhy na {source}: {count}',
  'the store cannot be used: keys, markets and windows are as last known':
    'databázi nelze použít: klíče, trhy a údržby jsou podle posledního známého stavu',
  'nothing can be saved: {trouble}': 'nic nelze uložit: {trouble}',
  'the database file is damaged, restore a backup: {finding}': 'soubor databáze je poškozen, obnovte zálohu: {finding}',
  'the process of chain {chain} is silent: its part of the record ends at {instant}':
    'proces řetězce {chain} se neozývá: jeho část záznamu končí {instant}',
  'the record is not what it was: {doubt}. Run `mdapi history verify`':
    'záznam není takový, jak byl: {doubt}. Spusťte `mdapi history verify`',
  '{keys} keys, {windows} maintenance windows and {terms} terms vanished from the store and are kept: bring the store back, or run `mdapi store accept-changes`':
    'z databáze zmizely a dál se používají: klíče {keys}, údržby {windows}, podmínky {terms}. Vraťte databázi, nebo spusťte `mdapi store accept-changes`',
  '{count} traded markets have no price: {reason}': 'obchodované trhy bez ceny: {count} ({reason})',
  'delisting waits for an operator: {markets}': 'vyřazení čeká na operátora: {markets}',
  'missing from the exchange’s list, and delisted unless they come back: {markets}':
    'chybí na seznamu burzy a budou vyřazeny, pokud se nevrátí: {markets}',
  'prices are held by an operator: {markets}': 'ceny podržené operátorem: {markets}',
  'rates are doubted, and the last good ones stay: {rates}': 'zpochybněné kurzy, platí poslední dobré: {rates}',
  'the {quote} rate may be used for {hours} more hours': 'kurz {quote} lze použít ještě tolik hodin: {hours}',
  '{source} is doubted, {reason}: {markets}. It means: {why}':
    '{source}: zpochybněno, {reason}: {markets}. Důvod: {why}',
  'the TLS certificate has expired': 'certifikát TLS vypršel',
  'the TLS certificate expires in {days} days': 'certifikát TLS vyprší; zbývá dní: {days}',
  'the last e-mail to a key holder could not be sent; {count} wait':
    'poslední e-mail držiteli klíče se nepodařilo odeslat; čeká jich {count}',
  'this process is on a feed of its own until Redis says who leads':
    'proces přijímá data sám, dokud Redis neurčí, kdo vede',
  'the lease of the feed cannot be had: {trouble}': 'vedení příjmu dat nelze získat: {trouble}',
  'Redis cannot be used: this process counts the limits by itself': 'Redis nelze použít: proces počítá limity sám',
  'the clock of this process is {seconds} s ahead of that of {others}':
    'hodiny procesu jdou napřed o {seconds} s proti: {others}',
  'the clock of this process is {seconds} s behind that of {others}':
    'hodiny procesu jsou pozadu o {seconds} s proti: {others}',

  // Doubts.
  'other sources agree on another price, or it alone left its own':
    'ostatní zdroje se shodují na jiné ceně, nebo jen on opustil svou',
  'it never agreed with the source in use; often two assets of one name':
    'nikdy se neshodl s používaným zdrojem; často jde o dvě aktiva téhož jména',
  'it moved further than guard.jumpPercent within ten seconds':
    'během deseti sekund se pohnul o více než guard.jumpPercent',
  'it is outside half to double the range of 24 hours': 'je mimo polovinu až dvojnásobek rozmezí za 24 hodin',
  'its spread is over five times the usual one': 'jeho rozpětí je více než pětkrát větší než obvyklé',
  'it moved further than a rate may': 'pohnul se dále, než kurz smí',
  'its source has no price of it any more': 'jeho zdroj už pro něj nemá cenu',
  'the price of {source}': 'cena {source}',
  'the last good price of {source}, captured {instant}': 'poslední dobrá cena {source}, zachycená {instant}',

  // Steps of a derivation.
  'best ask of {source}': 'nejlepší ask, {source}',
  'best bid of {source}': 'nejlepší bid, {source}',
  '× (1 {sign} fee {percent} %)': '× (1 {sign} poplatek {percent} %)',
  '× (1 {sign} margin {percent} %)': '× (1 {sign} přirážka {percent} %)',
  '× {pair} mid rate {rate}': '× střední kurz {pair} {rate}',
  'rounded up to {places} decimals': 'zaokrouhleno nahoru, desetinná místa: {places}',
  'rounded down to {places} decimals': 'zaokrouhleno dolů, desetinná místa: {places}',
  'rounded half to even to {places} decimals': 'zaokrouhleno k nejbližší, desetinná místa: {places}',

  // What an operator should confirm.
  'The start {instant} lies in the past: what was quoted since then stays as it was, and the term holds from now on.':
    'Začátek {instant} je v minulosti: co se od té doby kotovalo, zůstává, a podmínka platí od této chvíle.',
  'A {what} of {percent} % is unusual: clients pay {more} % more and receive {less} % less.':
    'Neobvyklé: {what} {percent} %. Klienti zaplatí o {more} % více a dostanou o {less} % méně.',
  '{markets} would have no price: it rounds to zero at this precision.':
    'Bez ceny by zůstaly: {markets}. Při této přesnosti se zaokrouhlí na nulu.',
  'A client would buy {symbol} at {buy} instead of {buyBefore} ({buyMove} %), and sell at {sell} instead of {sellBefore} ({sellMove} %).':
    'Klient by {symbol} kupoval za {buy} místo {buyBefore} ({buyMove} %) a prodával za {sell} místo {sellBefore} ({sellMove} %).',
  'A client would buy {symbol} at {buy} instead of {buyBefore} ({buyMove} %), and sell at {sell} instead of {sellBefore} ({sellMove} %); {count} more markets move by over {move} %.':
    'Klient by {symbol} kupoval za {buy} místo {buyBefore} ({buyMove} %) a prodával za {sell} místo {sellBefore} ({sellMove} %); o více než {move} % se pohnou i další trhy: {count}.',

  // Refused values of terms.
  'A {what} is a decimal from 0 to under 100, in percent, or inherit.':
    'Musí to být desetinné číslo od 0 do méně než 100, v procentech, nebo inherit ({what}).',
  'A precision is a whole number from 0 to 18, or inherit.': 'Přesnost je celé číslo od 0 do 18, nebo inherit.',
  'A rounding is outward, nearest or inherit.': 'Zaokrouhlení je outward, nearest, nebo inherit.',
  'A term sets a fee, a margin, a precision or a rounding, or several of them.':
    'Podmínka nastavuje poplatek, přirážku, přesnost nebo zaokrouhlení, případně více z nich.',
  'A term is for a market, for a quote currency, or for the whole service.':
    'Podmínka platí pro trh, pro kotační měnu, nebo pro celou službu.',
  'A margin or a precision for the whole service would be for no currency. Name the quote currency or the market it is for.':
    'Přirážka nebo přesnost pro celou službu by nepatřila k žádné měně. Uveďte kotační měnu nebo trh.',
  'The start of a term must be before the year 10000.': 'Začátek podmínky musí být před rokem 10000.',
  'There is no market {symbol}.': 'Trh {symbol} není.',
  'No market is quoted in {quote}.': 'V měně {quote} se nekotuje žádný trh.',
  "{subject} is not converted: it has no margin, and its precision is the exchange's.":
    '{subject} se nepřevádí: přirážku nemá a přesnost má od burzy.',
  'There is no term {id}.': 'Podmínka {id} není.',
  'The term {id} was cancelled.': 'Podmínka {id} byla zrušena.',
  'The term {id} holds from {instant} and cannot be cancelled. Set another one.':
    'Podmínka {id} platí od {instant} a nelze ji zrušit. Nastavte jinou.',
  '{concerns} Send confirm with true if it is meant so.': '{concerns} Je-li to tak míněno, potvrďte to.',

  // Other refusals.
  'must be {value}.': 'musí být {value}.',
  'is missing.': 'chybí.',
  'The body must be a JSON object.': 'Tělo musí být objekt JSON.',
  'The token is not valid. `mdapi admin token` makes one; `mdapi admin tokens` lists the existing ones.':
    'Token neplatí. Nový vytvoří `mdapi admin token`; stávající vypíše `mdapi admin tokens`.',
  'Sign in with an operator token, or send one as `Authorization: Bearer …`. `mdapi admin token` makes one.':
    'Přihlaste se tokenem operátora. Vytvoří ho `mdapi admin token`.',
  'The token of this session was revoked or has expired. Sign in with another one.':
    'Token této relace byl zneplatněn, nebo vypršel. Přihlaste se jiným.',
  'Too many wrong tokens came from this address.': 'Z této adresy přišlo příliš mnoho chybných tokenů.',
  'The session has expired. Sign in again.': 'Relace vypršela. Přihlaste se znovu.',
  'This needs the role {needed}; {name} has the role {role}.': 'Je potřeba role {needed}; {name} má roli {role}.',
  'There is no market with this symbol. GET /api/markets lists the existing ones.': 'Trh s tímto symbolem není.',
  'The market {symbol} is delisted, which is final.': 'Trh {symbol} je vyřazen, a to natrvalo.',
  'Nothing of {symbol} is doubted.': '{symbol}: nic není zpochybněno.',
  'This process does not know this request, or not any more.': 'Proces tento dotaz nezná, nebo už nezná.',
  'The record has no answer to a key with this id.': 'V záznamu není odpověď klíči s tímto id.',
  'The record has no price of it then.': 'Záznam pro ten okamžik nemá jeho cenu.',
  'It had no price then: {reason}.': 'Tehdy neměl cenu: {reason}.',
  'This service records nothing (history.url: off).': 'Tato služba nic nezaznamenává (history.url: off).',
  'It has to be after fromMs.': 'Musí být po začátku.',
  'The e-mail address must have the form name@domain, {rule}.': 'E-mailová adresa musí mít tvar jméno@doména.',
  'An account with the e-mail address {email} exists already.': 'Účet s adresou {email} už existuje.',
  'There is no account {id}.': 'Účet {id} není.',
  'There is no key {id}.': 'Klíč {id} není.',
  'The key {id} is revoked, which is final. Create a new key.':
    'Klíč {id} je zneplatněn, a to natrvalo. Vytvořte nový.',
  'The expiry of a key must lie in the future.': 'Konec platnosti klíče musí být v budoucnosti.',
  'The expiry of a new token must lie in the future.': 'Konec platnosti tokenu musí být v budoucnosti.',
  'A label has {rule}.': 'Popisek má nejvýše 100 znaků bez řídicích znaků.',
  'A limit is a whole number of requests a minute, 1 to 1000000.':
    'Limit je celý počet dotazů za minutu, 1 až 1000000.',
  'A window must end after it begins.': 'Údržba musí skončit později, než začne.',
  'The end of a window must lie in the future.': 'Konec údržby musí být v budoucnosti.',
  'A window needs a description of 1 to 500 characters, in English.':
    'Údržba potřebuje popis, 1 až 500 znaků, anglicky.',
  'There is no maintenance window {id}.': 'Údržba {id} není.',
  'The window {id} was cancelled.': 'Údržba {id} byla zrušena.',
  'The window {id} ended at {instant}. Announce a new one.': 'Údržba {id} skončila {instant}. Ohlaste novou.',
  'The window {id} has not begun. Cancel it instead.': 'Údržba {id} ještě nezačala. Místo toho ji zrušte.',
  'The window {id} is running. End it instead.': 'Údržba {id} probíhá. Místo toho ji ukončete.',
  'This service has no configuration to read again.': 'Služba nemá konfiguraci, kterou by znovu načetla.',
  'The configuration is refused, and nothing was changed. {why}': 'Konfigurace je odmítnuta a nic se nezměnilo. {why}',
  'added {source}': 'přidán {source}',
  'removed {source}': 'odebrán {source}',
  'changed {source}': 'změněn {source}',
  'paused {source}': 'pozastaven {source}',
  'resumed {source}': 'obnoven {source}',
  'order {sources}': 'pořadí {sources}',

  // Audit log.
  'Paused trading of all {count} markets that were not.': 'Pozastaveno obchodování všech trhů; změněných: {count}.',
  'Resumed trading of all {count} markets that were not.': 'Obnoveno obchodování všech trhů; změněných: {count}.',
  'Held the prices of all {count} markets that were not.': 'Podrženy ceny všech trhů; změněných: {count}.',
  'Released the prices of all {count} markets that were not.': 'Uvolněny ceny všech trhů; změněných: {count}.',
  'Paused trading of {symbol}.': 'Pozastaveno obchodování {symbol}.',
  'Resumed trading of {symbol}.': 'Obnoveno obchodování {symbol}.',
  'Held the prices of {symbol}.': 'Podrženy ceny {symbol}.',
  'Released the prices of {symbol}.': 'Uvolněny ceny {symbol}.',
  'Accepted what was doubted of {symbol} from {source}.': 'Přijato, co bylo zpochybněno: {symbol} od {source}.',
  'Accepted what was doubted of {symbol}.': 'Přijato, co bylo zpochybněno: {symbol}.',
  'Delisted {symbol}, for good: {reason}.': 'Vyřazen {symbol}, natrvalo: {reason}.',
  'Delisted {symbol}, for good.': 'Vyřazen {symbol}, natrvalo.',
  'Set for the service from {instant}: {values}.': 'Nastaveno pro celou službu od {instant}: {values}.',
  'Set for {subject} from {instant}: {values}.': 'Nastaveno pro {subject} od {instant}: {values}.',
  'Cancelled for the service from {instant}: {values}.': 'Zrušeno pro celou službu od {instant}: {values}.',
  'Cancelled for {subject} from {instant}: {values}.': 'Zrušeno pro {subject} od {instant}: {values}.',
  'Reloaded the sources: {changes}.': 'Znovu načteny zdroje: {changes}.',
  'Signed in from {address}.': 'Přihlášení z {address}.',
  'Signed out.': 'Odhlášení.',
  'Refused {token} from {address}.': 'Odmítnut {token} z {address}.',
  'Made the account of {email}.': 'Vytvořen účet {email}.',
  'Activated the account of {email}.': 'Aktivován účet {email}.',
  'Deactivated the account of {email}.': 'Deaktivován účet {email}.',
  'Changed the e-mail address of {before} to {email}.': 'Změněna e-mailová adresa {before} na {email}.',
  'Erased the account {id} and revoked its {count} keys.': 'Vymazán účet {id}; zneplatněných klíčů: {count}.',
  'Made a key for {email} ("{label}").': 'Vytvořen klíč pro {email} („{label}“).',
  'Made a key for {email}.': 'Vytvořen klíč pro {email}.',
  'Enabled the key ending in {ending} of {email} ("{label}").':
    'Povolen klíč končící na {ending}, {email} („{label}“).',
  'Enabled the key ending in {ending} of {email}.': 'Povolen klíč končící na {ending}, {email}.',
  'Disabled the key ending in {ending} of {email} ("{label}").':
    'Zakázán klíč končící na {ending}, {email} („{label}“).',
  'Disabled the key ending in {ending} of {email}.': 'Zakázán klíč končící na {ending}, {email}.',
  'Revoked the key ending in {ending} of {email} ("{label}").':
    'Zneplatněn klíč končící na {ending}, {email} („{label}“).',
  'Revoked the key ending in {ending} of {email}.': 'Zneplatněn klíč končící na {ending}, {email}.',
  'Changed the key ending in {ending} of {email} ("{label}").': 'Změněn klíč končící na {ending}, {email} („{label}“).',
  'Changed the key ending in {ending} of {email}.': 'Změněn klíč končící na {ending}, {email}.',
  'Replaced the key ending in {ending} ("{label}") by {key}.':
    'Klíč končící na {ending} („{label}“) nahrazen klíčem {key}.',
  'Replaced the key ending in {ending} by {key}.': 'Klíč končící na {ending} nahrazen klíčem {key}.',
  'Made the operator token "{name}" with the role {role}.': 'Vytvořen token operátora „{name}“ s rolí {role}.',
  'Revoked the operator token "{name}".': 'Zneplatněn token operátora „{name}“.',
  'Made a token for the engine of the source "{source}".': 'Vytvořen token pro stroj zdroje „{source}“.',
  'Revoked a token for the engine of the source "{source}".': 'Zneplatněn token pro stroj zdroje „{source}“.',
  'Announced the maintenance from {from} to {to}.': 'Ohlášena údržba od {from} do {to}.',
  'Extended the maintenance from {from} to {to}.': 'Prodloužena údržba od {from} do {to}.',
  'Ended the maintenance from {from} to {to}.': 'Ukončena údržba od {from} do {to}.',
  'Cancelled the maintenance from {from} to {to}.': 'Zrušena údržba od {from} do {to}.',
  'Accepted that keys and windows vanished from the store.': 'Přijato, že z databáze zmizely klíče a údržby.',
  'keeps the record from {from} to {to}: {reason}': 'uchovává záznam od {from} do {to}: {reason}',
  'no longer keeps a span of the record': 'už neuchovává úsek záznamu',
  'accepts that the record ends with {ends}': 'přijímá, že záznam končí {ends}',
  'deleted the record before {instant}: segments {first} to {last}':
    'smazán záznam před {instant}: segmenty {first} až {last}',
};
