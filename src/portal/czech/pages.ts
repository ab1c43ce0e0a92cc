/** The portal's own words. */
export const pagesInCzech: Readonly<Record<string, string>> = {
  // The frame of every page.
  'Skip to the content': 'Přejít k obsahu',
  Search: 'Hledat',
  Pages: 'Stránky',
  Guides: 'Návody',
  Reference: 'Dokumentace',
  Errors: 'Chyby',
  Status: 'Stav',
  More: 'Další odkazy',
  Contact: 'Kontakt',
  'Terms of use': 'Podmínky použití',
  'This page as Markdown': 'Tato stránka jako Markdown',
  'Status as JSON': 'Stav jako JSON',
  'API version {version}, server release {release}. Read-only: every operation is a GET.':
    'Verze API {version}, vydání serveru {release}. Pouze pro čtení: každá operace je GET.',
  Code: 'Kód',
  Commands: 'Příkazy',
  'Page not found': 'Stránka nenalezena',
  'There is no page at this address.': 'Na této adrese žádná stránka není.',
  'There is no page at this address. Check its spelling; upper and lower case differ.':
    'Na této adrese žádná stránka není. Zkontrolujte, jestli je napsaná správně; záleží i na velikosti písmen.',
  '- [Start](/)\n- [Guides](/guides)\n- [Reference](/docs)\n- [Errors](/errors)\n- [Status](/status)\n\nPrograms get `404 NOT_FOUND` here.':
    '- [Úvod](/)\n- [Návody](/guides)\n- [Dokumentace](/docs)\n- [Chyby](/errors)\n- [Stav](/status)\n\nProgramy tu dostanou `404 NOT_FOUND`.',

  // The start.
  'What you can build on': 'Na co se můžete spolehnout',
  'For programs and assistants': 'Pro programy a asistenty',
  'Create an API key in the client application, under profile and security, API keys.':
    'V klientské aplikaci si v části Profil a zabezpečení, API klíče, vytvořte API klíč.',
  'Keep it on your server, in `API_KEY`.': 'Uložte ho na svém serveru do proměnné `API_KEY`.',
  'Run this command as it stands.': 'Spusťte tento příkaz tak, jak je.',
  'Final client prices, exact to the last digit': 'Konečné klientské ceny, přesné na poslední číslici',
  'One HTTP API for the traded markets and for what a client pays and receives right now. Fee and currency margin are included. Every price is a decimal string and states when it was captured.':
    'Jedno HTTP API pro obchodované trhy a pro to, kolik klient právě teď zaplatí nebo dostane. Poplatek i měnová přirážka jsou započteny. Každá cena je desetinné číslo zapsané jako text a uvádí, kdy byla zachycena.',
  'Make the first request': 'Odeslat první požadavek',
  'Open the reference': 'Otevřít dokumentaci',
  'First request': 'První požadavek',
  'Example response': 'Příklad odpovědi',
  'State of the service': 'Stav služby',
  'Is the service operational? See the status page.': 'Je služba v provozu? Podívejte se na stránku stavu.',
  'No digit is lost': 'Neztratí se ani číslice',
  'Prices and amounts are decimal strings from end to end. Each is rounded once, to the number of decimals that its market states.':
    'Ceny a množství jsou od začátku do konce desetinná čísla zapsaná jako text. Zaokrouhlují se jednou, na počet desetinných míst daného trhu.',
  'Stale data never looks fresh': 'Stará data nikdy nevypadají jako čerstvá',
  'Each price carries the time it was captured, and the status says how far the feed is behind. After five minutes it reports an outage.':
    'Každá cena nese čas svého zachycení a stav služby říká, o kolik jsou data pozadu. Po pěti minutách hlásí výpadek.',
  'Limits you can plan around': 'Limity, se kterými lze počítat',
  '{limit} requests a minute for each key unless agreed otherwise. Every answer says how many are left, and `Retry-After` is exact.':
    '{limit} požadavků za minutu na klíč, pokud není dohodnuto jinak. Každá odpověď říká, kolik jich zbývá, a `Retry-After` je přesné.',
  'Errors made for programs': 'Chyby určené programům',
  'One shape, one code to branch on, and a page for each error: what causes it, what to do, whether a retry helps.':
    'Jeden tvar, jeden kód k rozhodování a ke každé chybě stránka: co ji způsobuje, co s ní a zda pomůže opakování.',
  'Maintenance with notice': 'Ohlášená údržba',
  'Windows are announced with their start and expected end, and the status keeps answering while they run.':
    'Údržba se ohlašuje se začátkem i očekávaným koncem a stav služby je dostupný i v jejím průběhu.',
  'A contract you can rely on': 'Kontrakt, na který je spoleh',
  'The OpenAPI 3.1 document is generated from the code that answers. What can change within version 1 is written down.':
    'Dokument OpenAPI 3.1 vzniká z téhož kódu, který odpovídá na požadavky. Je v něm i to, co se může v rámci verze 1 změnit.',
  'What it returns': 'Co vrací',
  'Five endpoints, all read-only': 'Pět adres, všechny jen pro čtení',
  'One request to `/v1/tickers` every five seconds gets every price.':
    'Jeden požadavek na `/v1/tickers` každých pět sekund přinese všechny ceny.',
  'The contract for client generators, gateways and tests.': 'Kontrakt pro generátory klientů, brány a testy.',
  'An index of these pages for language models; [llms-full.txt](/llms-full.txt) has all of them in one file.':
    'Rejstřík těchto stránek pro jazykové modely (anglicky); [llms-full.txt](/llms-full.txt) je obsahuje všechny v jednom souboru.',
  'Every page is available as Markdown: add `.md` to its path, or ask for `text/markdown`.':
    'Každá stránka je i jako Markdown: přidejte k cestě `.md`, nebo si vyžádejte `text/markdown`.',
  'State, components and announced maintenance, for dashboards. Needs no key.':
    'Stav, součásti a ohlášená údržba, pro přehledové panely. Klíč není potřeba.',
  'The `type` of each error is the address of the page that explains it.':
    '`type` každé chyby je adresa stránky, která ji vysvětluje.',
  'Prices on this page are examples from {day}, not offers.':
    'Ceny na této stránce jsou příklady ze dne {day}, ne nabídky.',

  // Guides.
  'How to use the API well: first requests, polling, markets, prices, limits, errors and versioning.':
    'Jak API dobře používat: první požadavky, dotazování, trhy, ceny, limity, chyby a verze.',
  'Short pages, one question each. Tests run every program in them against the service.':
    'Krátké stránky, každá na jedno téma. Všechny programy v nich testy spouštějí proti službě.',
  'The documentation of this package is in English.': 'Dokumentace balíčku je v angličtině.',
  'Other guides': 'Další návody',
  Previous: 'Předchozí',
  Next: 'Následující',
  'Quick start': 'Rychlý start',
  'From a key to live prices, in curl, TypeScript and Python.': 'Od klíče k živým cenám: curl, TypeScript a Python.',
  'Polling well': 'Správné dotazování',
  'How often to ask, when to wait, and how to measure the clock.': 'Jak často se ptát, kdy čekat a jak změřit hodiny.',
  'Status and maintenance': 'Stav a údržba',
  'When prices are too old to trade on, and what to do around a window.':
    'Kdy jsou ceny na obchodování příliš staré a co dělat kolem údržby.',
  'Python client': 'Klient pro Python',
  'Waiting, retrying and polling done for you, sync and async.':
    'Čeká, opakuje a dotazuje se za vás, synchronně i asynchronně.',
  'Market states, missing symbols': 'Stavy trhů, chybějící symboly',
  'What market states mean, and why a symbol can be missing.': 'Co znamenají stavy trhů a proč může symbol chybět.',
  'Prices, and what is in them': 'Ceny a z čeho se skládají',
  'What a price contains, how it is rounded, and how old it is.':
    'Co cena obsahuje, jak se zaokrouhluje a jak je stará.',
  Limits: 'Limity',
  'What is counted, what the headers say, and what happens at the limit.':
    'Co se počítá, co říkají hlavičky a co se stane po vyčerpání limitu.',
  'Reading errors': 'Jak číst chyby',
  'One shape for every error, and which of them are worth a retry.':
    'Jeden tvar pro všechny chyby a které se vyplatí zkusit znovu.',
  Versioning: 'Verze',
  'What can change without notice, and how to be ready for it.': 'Co se může změnit bez ohlášení a jak se připravit.',
  'TypeScript client': 'Klient pro TypeScript',
  'The client that does the waiting, retrying and polling for you.':
    'Klient, který za vás čeká, opakuje a dotazuje se.',

  // Reference.
  Overview: 'Přehled',
  Operation: 'Operace',
  Operations: 'Operace',
  Constants: 'Konstanty',
  'Common errors and headers': 'Společné chyby a hlavičky',
  'Every endpoint, parameter, response, field, header, error and limit of the API.':
    'Všechny adresy, parametry, odpovědi, pole, hlavičky, chyby a limity API.',
  'Every operation of API version {version}, made from the [OpenAPI document](/openapi/v1.json). Base URL: {baseUrl}':
    'Všechny operace API verze {version}, podle [dokumentu OpenAPI](/openapi/v1.json). Základní URL: {baseUrl}',
  'The status of the ticker feed is `outage` once it is more than {duration} behind.':
    'Stav přísunu dat je `outage`, jakmile je pozadu o více než {duration}.',
  'A delisted market stays in `GET /v1/markets` for {duration}.':
    'Vyřazený trh zůstává v `GET /v1/markets` ještě {duration}.',
  '`Retry-After` is {seconds} seconds while market data is not available. During maintenance it is the time to the expected end, from {min} to {max} seconds.':
    '`Retry-After` je {seconds} sekund, dokud tržní data nejsou dostupná. Při údržbě je to čas do očekávaného konce, od {min} do {max} sekund.',
  'parameters, fields, errors and samples of {operation}.': 'parametry, pole, chyby a ukázky pro {operation}.',
  Parameters: 'Parametry',
  'Response fields': 'Pole odpovědi',
  'Request and response': 'Požadavek a odpověď',
  'Needs an API key.': 'Vyžaduje API klíč.',
  'Needs no API key.': 'Nevyžaduje API klíč.',
  'Fields of {operation}': 'Pole odpovědi {operation}',
  'Every operation can also answer with one of the [common errors]({route}).':
    'Každá operace může odpovědět i některou ze [společných chyb]({route}).',
  'Request for {path}': 'Požadavek na {path}',
  '**Sets of values are open.** Version 1 can gain values at any time. Show a value that you do not know, do not act on it, and do not fail.':
    '**Výčty hodnot jsou otevřené.** Ve verzi 1 může kdykoli přibýt nová hodnota. Neznámou hodnotu zobrazte, ale neřiďte se jí a neskončete kvůli ní chybou.',
  'None.': 'Žádné.',
  'Parameters of {path}': 'Parametry {path}',
  Name: 'Název',
  Meaning: 'Význam',
  Field: 'Pole',
  Header: 'Hlavička',
  header: 'v hlavičce',
  query: 'v dotazu',
  required: 'povinné',
  optional: 'nepovinné',
  or: 'nebo',
  'Type {type}.': 'Typ {type}.',
  'Example {example}.': 'Příklad {example}.',
  'Values known today: {values}.': 'Dnes známé hodnoty: {values}.',
  'One of {values}.': 'Jedna z hodnot {values}.',
  'Pattern {pattern}.': 'Vzor {pattern}.',
  'A multiple of {number}.': 'Násobek {number}.',
  '{min} to {max} characters.': '{min} až {max} znaků.',
  'From {min} to {max}.': 'Od {min} do {max}.',
  'Headers: {headers}.': 'Hlavičky: {headers}.',
  'Errors of {path}': 'Chyby {path}',
  Error: 'Chyba',
  Cause: 'Příčina',
  'can be retried': 'lze opakovat',
  'do not retry': 'neopakujte',
  'Errors common to all operations': 'Společné chyby všech operací',
  'Fields of an error': 'Pole chyby',
  'Response headers': 'Hlavičky odpovědí',
  'The errors common to all operations, the fields of an error, and every response header.':
    'Společné chyby všech operací, pole chyby a všechny hlavičky odpovědí.',
  'What all operations have in common. The [list of errors](/errors) has every error.':
    'Co mají všechny operace společné. Úplný je [seznam chyb](/errors).',
  'Every error is a problem document (RFC 9457) with the media type `application/problem+json`.':
    'Každá chyba je dokument podle RFC 9457 s typem `application/problem+json`.',
  'Example of an error': 'Příklad chyby',
  'API key': 'API klíč',
  Forget: 'Zapomenout',
  'Stays in this tab, for every page of the portal, until you close the tab or choose Forget.':
    'Zůstává v této kartě prohlížeče pro všechny stránky portálu, dokud ji nezavřete nebo nezvolíte Zapomenout.',
  'Why a key is safe here': 'Proč je tu klíč v bezpečí',
  'This page loads nothing from another host, and the browser lets it send nothing to one. The key is in the session storage of this tab, which only pages of this host can read. A browser that restores tabs restores it with them: on a computer that is not yours, choose Forget. The key is in no address, no cookie and no sample, and goes only to this service, with the requests that you send. Other pages cannot promise that: apart from here, keep the key on your server.':
    'Stránka nenačítá nic z jiného serveru a prohlížeč jí tam ani nedovolí nic odeslat. Klíč je v úložišti relace této karty, které mohou číst jen stránky tohoto serveru. Prohlížeč, který obnovuje karty, obnoví i klíč: na cizím počítači zvolte Zapomenout. Klíč není v žádné adrese, v cookies ani v ukázkách a posílá se jen této službě, s požadavky, které sami odešlete. Cizí stránky nic takového zaručit nemohou: jinde než zde mějte klíč na svém serveru.',
  'Try {operation}': 'Vyzkoušet {operation}',
  'Send request': 'Odeslat požadavek',
  'Once a key is entered, this field lists the markets. Loading them takes one request.':
    'Po zadání klíče pole nabídne trhy. Jejich načtení stojí jeden požadavek.',

  // Status.
  'How the service is doing now, how old its market data is, and which maintenance is announced.':
    'Jak je na tom služba právě teď, jak stará jsou tržní data a jaká údržba je ohlášena.',
  'This page asks the service, which has not answered yet.': 'Stránka se ptá služby, která zatím neodpověděla.',
  'The last {days} days': 'Posledních {days} dní',
  Incidents: 'Události',
  'Past maintenance': 'Minulá údržba',
  'Maintenance: {description}': 'Údržba: {description}',
  'Not recorded': 'Bez záznamu',
  'no outage': 'bez výpadku',
  'outage {duration}': 'výpadek {duration}',
  '{name}: nothing is recorded yet.': '{name}: zatím bez záznamů.',
  '{name}: {share} operational, {outage}. Days recorded: {days}.':
    '{name}: v provozu {share}, {outage}. Zaznamenaných dní: {days}.',
  'The service was not running': 'Služba neběžela',
  'The service was degraded': 'Omezený provoz služby',
  'No market data arrived': 'Tržní data nepřicházela',
  'Market data was degraded': 'Omezený provoz tržních dat',
  'since {start}; it has lasted {duration} so far.': 'od {start}; trvá už {duration}.',
  '{start} to {end} ({duration}).': '{start} až {end} ({duration}).',
  Components: 'Součásti',
  'Market data': 'Tržní data',
  'Age of the data': 'Stáří dat',
  'Server time': 'Čas serveru',
  '{duration}, last update at ': '{duration}, naposledy aktualizováno ',
  'For programs there are [`GET /v1/status`]({status}) and, without a key, [`{summary}`]({summary}). Incidents and maintenance are also an [Atom feed]({feed}).':
    'Programům slouží [`GET /v1/status`]({status}) a bez klíče [`{summary}`]({summary}). Události a údržba jsou i v [kanálu Atom]({feed}).',
  'This page shows the state at the server time above; without scripts it reloads every {seconds} seconds.':
    'Stránka ukazuje stav k uvedenému času serveru; bez skriptů se každých {seconds} sekund načte znovu.',

  // Errors.
  'Every error of the API: what causes it, what to do, and whether to retry.':
    'Všechny chyby API: co je způsobuje, co s nimi a zda je opakovat.',
  'Errors a client should expect': 'Chyby, se kterými má klient počítat',
  'Rare errors': 'Vzácné chyby',
  'Every error is a problem document (RFC 9457) with the media type `application/problem+json`. Branch on its `code`. Its `type` is the address of the page that explains the error.':
    'Každá chyba je dokument podle RFC 9457 s typem `application/problem+json`. Rozhodujte se podle `code`. Pole `type` je adresa stránky, která chybu vysvětluje.',
  'The [reference](/docs/common#problem) describes the six members. When you contact the operator about an error, quote its `requestId`.':
    'Šest polí chyby popisuje [dokumentace](/docs/common#problem). Když se kvůli chybě obracíte na provozovatele, uveďte její `requestId`.',
  'These report a problem with the HTTP around a request, or inside the server. A well-behaved client rarely sees one.':
    'Ty hlásí potíže s HTTP kolem požadavku nebo uvnitř serveru. Správně napsaný klient je téměř neuvidí.',
  'HTTP status': 'Stav HTTP',
  Type: 'Typ',
  'What causes it': 'Co ji způsobuje',
  'What to do': 'Co dělat',
  'Whether to retry': 'Zda opakovat',
  'See also: [reading errors](/guides/errors), [polling well](/guides/polling), [all errors](/errors).':
    'Viz také: [jak číst chyby](/guides/errors), [správné dotazování](/guides/polling), [všechny chyby](/errors).',
  'Can be retried': 'Lze opakovat',
  'Do not retry': 'Neopakujte',
  '`Retry-After` is always present, in whole seconds. Repeat the request no sooner.':
    '`Retry-After` je v odpovědi vždy, v celých sekundách. Dříve požadavek neopakujte.',
};
