import { ErrorCodeSchema } from '../../contract/schemas.ts';

const sameInstant = (name: string) => [
  `The same instant as \`${name}\`, in milliseconds since the Unix epoch.`,
  `Tentýž okamžik jako \`${name}\`, v milisekundách od počátku unixové epochy.`,
];

const change = (period: string, inCzech: string) => [
  `Change of the price over ${period}, in percent: \`0.21\` means 0.21 percent, not 21 percent. Absent when the feed does not provide it.`,
  `Změna ceny za ${inCzech} v procentech: \`0.21\` znamená 0,21 procenta, ne 21 procent. Chybí, pokud ji zdroj neposkytuje.`,
];

const feedStatus =
  'Status of the market data feed at the time of the answer, as `components.ticker` of GET /v1/status: `operational`, `degraded` while data is served over a fallback path, `outage` once it is more than 5 minutes behind. The set can gain values within v1: treat a value you do not know as unrecognized and do not fail.';

const errorCodeText = String((ErrorCodeSchema as { readonly description?: string }).description);

/** Descriptions of the contract. One that changes is shown in English until it is translated anew. */
export const contractInCzech: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['serverTime', 'from', 'to', 'timestamp'].map(sameInstant)),
  ...Object.fromEntries([change('1 hour', '1 hodinu'), change('24 hours', '24 hodin'), change('7 days', '7 dní')]),

  // The introduction.
  'Server time, service status, markets and current client prices of an exchange.':
    'Čas serveru, stav služby, trhy a aktuální klientské ceny burzy.',
  'Read-only market data over HTTP: the time of the server, the status of the service, the traded markets, and the current final prices for clients. Every operation is a GET. Nothing changes state.':
    'Tržní data přes HTTP, jen pro čtení: čas serveru, stav služby, obchodované trhy a aktuální konečné ceny pro klienty. Každá operace je GET. Nic nemění stav.',
  '## First steps': '## První kroky',
  'Create an API key in the client application (profile and security, API keys), and send it verbatim with every request under `/v1` in the header `X-EXCHANGE-APIKEY`. Keep keys on your server; they do not belong in a browser.':
    'V klientské aplikaci (Profil a zabezpečení, API klíče) si vytvořte API klíč a posílejte ho beze změny s každým požadavkem pod `/v1` v hlavičce `X-EXCHANGE-APIKEY`. Klíče mějte na svém serveru; do prohlížeče nepatří.',
  '## Numbers and times': '## Čísla a časy',
  'Prices and amounts are decimal strings, never JSON numbers, so that no digit is lost on the way. Every point in time comes twice: as ISO 8601 text in UTC with milliseconds, and as milliseconds since the Unix epoch. Both are the same instant.':
    'Ceny a množství jsou desetinná čísla zapsaná jako text, nikdy čísla JSON, aby se cestou neztratila žádná číslice. Každý okamžik je uveden dvakrát: jako text ISO 8601 v UTC s milisekundami a jako počet milisekund od počátku unixové epochy. Obojí je tentýž okamžik.',
  'An optional field may be absent. It is never null, except for the fields of the status that say so.':
    'Nepovinné pole může chybět. Nikdy není null, kromě polí stavu, u nichž je to uvedeno.',
  '## Prices': '## Ceny',
  '`buyPrice` and `sellPrice` are what a client pays and receives per unit of the base currency. They include the standard fee, and a currency margin where the quote currency is converted (CZK). They are not a binding offer: a trade settles at the price valid when the order is placed. All other prices are statistics of the exchange without fees.':
    '`buyPrice` a `sellPrice` jsou částky, které klient zaplatí nebo dostane za jednotku základní měny. Obsahují standardní poplatek a u přepočítávané měny (CZK) i měnovou přirážku. Nejsou závaznou nabídkou: obchod se vypořádá za cenu platnou při podání pokynu. Všechny ostatní ceny jsou statistiky burzy bez poplatků.',
  '## Limits': '## Limity',
  Limit: 'Limit',
  'Requests per minute': 'Požadavků za minutu',
  Counted: 'Jak se počítá',
  'Per valid key, shared by all endpoints': 'Na platný klíč, pro všechny adresy dohromady',
  'Requests without a key': 'Požadavky bez klíče',
  'Per IP address, for the root path and the description document':
    'Na IP adresu, pro kořenovou cestu a dokument s popisem',
  'Failed authentication': 'Neúspěšné ověření',
  'Per IP address, only for requests whose authentication failed':
    'Na IP adresu, jen pro požadavky, jejichž ověření selhalo',
  'A key can have a limit of its own: the `X-RateLimit` headers state yours. The counts reset at every full minute and are independent. Every answer to a counted request shows what is left. Over a limit the answer is 429 with `Retry-After`: wait that many seconds.':
    'Klíč může mít vlastní limit: ten váš uvádějí hlavičky `X-RateLimit`. Počty se nulují s každou celou minutou a jsou na sobě nezávislé. Každá odpověď na započítaný požadavek ukazuje, kolik zbývá. Nad limitem je odpovědí 429 s `Retry-After`: počkejte tolik sekund.',
  '## Errors': '## Chyby',
  'Every error is a problem (RFC 9457) of the media type `application/problem+json` with exactly six members. Decide on `code`, not on the texts. `type` is the address of a page that explains the error and what to do.':
    'Každá chyba je dokument podle RFC 9457 s typem `application/problem+json` a právě šesti poli. Rozhodujte se podle `code`, ne podle textů. `type` je adresa stránky, která chybu vysvětluje a říká, co s ní.',
  '## Other methods and paths': '## Ostatní metody a cesty',
  'HEAD answers every path below with the status and headers of the GET and no body, and counts as one request too. Any other method gets 405 `METHOD_NOT_ALLOWED` with `Allow: GET, HEAD`. A method that HTTP does not know, `get` in lower case among them, and CONNECT get the same before anything else is looked at: no limit counts them, and the connection ends. A path that does not exist gets 404 `NOT_FOUND`, under `/v1` only with a valid key, and 400 `BAD_REQUEST` where its percent-encoding is broken.':
    'HEAD odpovídá na všech cestách stavem a hlavičkami jako GET, jen bez těla, a také se počítá jako požadavek. Jakákoli jiná metoda dostane 405 `METHOD_NOT_ALLOWED` s `Allow: GET, HEAD`. Metoda, kterou HTTP nezná (třeba `get` malými písmeny), a CONNECT dostanou totéž dříve, než se cokoli posuzuje: do žádného limitu se nepočítají a spojení končí. Neexistující cesta dostane 404 `NOT_FOUND`, pod `/v1` jen s platným klíčem, a 400 `BAD_REQUEST`, je-li porušené její procentové kódování.',
  '## Compression': '## Komprese',
  'Bodies of markets, tickers and this description are ready as gzip, br and zstd. Let your HTTP library negotiate: it sends the `Accept-Encoding` that it can read.':
    'Těla s trhy, cenami a tímto popisem jsou připravena jako gzip, br a zstd. Vyjednávání nechte na knihovně HTTP: pošle takové `Accept-Encoding`, které umí přečíst.',
  '## What can change within version 1': '## Co se může změnit v rámci verze 1',
  'Fields, error codes and status values can be added. Ignore fields you do not know, and treat unknown values as unrecognized without failing.':
    'Mohou přibýt pole, kódy chyb a hodnoty stavů. Pole, která neznáte, přehlížejte a neznámé hodnoty berte jako nerozpoznané, aniž byste skončili chybou.',

  // Operations and their parameters.
  'Time of the server': 'Čas serveru',
  'The current time of the server. Never cached. It reads no market data: of the codes of a 503, MARKET_DATA_UNAVAILABLE is not to be expected.':
    'Aktuální čas serveru. Nikdy se neukládá do mezipaměti. Nečte žádná tržní data: z kódů odpovědi 503 zde MARKET_DATA_UNAVAILABLE nečekejte.',
  'Recommended: once, when your client starts. Measure the offset between local and server clock.':
    'Doporučení: jednou, při startu klienta. Změřte odchylku místních hodin od serveru.',
  'The time of the server': 'Čas serveru',
  'Status of the service': 'Stav služby',
  'How the service is doing, which maintenance is announced, and how old the market data is. Never cached. It keeps answering while the rest of the API is degraded or under announced maintenance.':
    'Jak na tom služba je, jaká údržba je ohlášena a jak stará jsou tržní data. Nikdy se neukládá do mezipaměti. Odpovídá i tehdy, když má zbytek API omezený provoz nebo ohlášenou údržbu.',
  'Recommended: every 60 seconds. May be polled more often during an outage.':
    'Doporučení: každých 60 sekund. Při výpadku se lze ptát častěji.',
  'Everything works': 'Všechno funguje',
  'Maintenance is announced': 'Je ohlášena údržba',
  'Maintenance is running': 'Probíhá údržba',
  'Data arrives over the fallback path': 'Data přicházejí náhradní cestou',
  'No data has arrived yet': 'Zatím nepřišla žádná data',
  'All markets': 'Všechny trhy',
  'Every market a client can trade, ordered by symbol: those of the exchange, those quoted in CZK, and delisted ones for 30 days.':
    'Všechny trhy, na kterých může klient obchodovat, seřazené podle symbolu: trhy burzy, trhy kotované v CZK a ještě 30 dní trhy vyřazené.',
  'Recommended: every hour. Markets change rarely.': 'Doporučení: každou hodinu. Trhy se mění zřídka.',
  'The `ETag` of the representation you have, or several. The answer is 304 without a body while nothing changed. A malformed value is ignored.':
    '`ETag` reprezentace, kterou máte, nebo několik takových. Dokud se nic nezměnilo, je odpovědí 304 bez těla. Nesprávně zapsaná hodnota se přehlíží.',
  'A converted market, a market of the exchange, and a delisted one': 'Přepočítávaný trh, trh burzy a vyřazený trh',
  'Prices of one market': 'Ceny jednoho trhu',
  'The current client prices of one market. The latest ticker is served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.':
    'Aktuální klientské ceny jednoho trhu. Poslední ceny se posílají, i když se zdroj dat opožďuje: sledujte `timestamp` a hlavičku `X-Feed-Status`.',
  'Recommended: every 5 seconds. Each followed market uses 12 requests per minute; use /v1/tickers for several markets.':
    'Doporučení: každých 5 sekund. Každý sledovaný trh spotřebuje 12 požadavků za minutu; pro více trhů použijte /v1/tickers.',
  'Base and quote currency joined without a separator, in any case. It must be a market of GET /v1/markets whose status is not `delisted`.':
    'Základní a kotační měna spojené bez oddělovače, na velikosti písmen nezáleží. Musí to být trh z GET /v1/markets, jehož stav není `delisted`.',
  'A market of the exchange': 'Trh burzy',
  'A converted market, without the optional fields': 'Přepočítávaný trh bez nepovinných polí',
  'Prices of all markets': 'Ceny všech trhů',
  'The current client prices of every traded market that has one. A traded market without a ticker, or without a CZK/EUR rate, is left out until the data is back; the `status` in GET /v1/markets distinguishes it from a delisted one. The latest tickers are served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.':
    'Aktuální klientské ceny všech obchodovaných trhů, které cenu mají. Obchodovaný trh bez ceny nebo bez kurzu CZK/EUR je vynechán, dokud se data nevrátí; od vyřazeného ho odliší `status` v GET /v1/markets. Poslední ceny se posílají, i když se zdroj dat opožďuje: sledujte `timestamp` a hlavičku `X-Feed-Status`.',
  'Recommended: every 5 seconds. More frequent calls generally bring no newer data.':
    'Doporučení: každých 5 sekund. Častější dotazy zpravidla nepřinesou novější data.',
  'Two markets': 'Dva trhy',
  'This description': 'Tento popis',
  'The machine readable description of all endpoints, parameters, responses and errors. Needs no key.':
    'Strojově čitelný popis všech adres, parametrů, odpovědí a chyb. Klíč není potřeba.',
  'The beginning of this document': 'Začátek tohoto dokumentu',
  'Where to start': 'Kde začít',
  'What this service is and where its documentation lies. Needs no key. A browser gets the same as HTML; where JSON and HTML are equally welcome, JSON is the answer.':
    'Co je tato služba zač a kde má dokumentaci. Klíč není potřeba. Prohlížeč dostane totéž jako HTML; jsou-li JSON a HTML stejně vítané, je odpovědí JSON.',
  'The root document': 'Kořenový dokument',
  'An API key, as it is, without a prefix. Make one in the client application, under profile and security.':
    'API klíč beze změny, bez předpony. Vytvoříte ho v klientské aplikaci v části Profil a zabezpečení.',

  // Response headers.
  'Whether the response may be kept, and for how long.': 'Zda a jak dlouho se odpověď smí uchovat.',
  'The request headers that the representation depends on.': 'Hlavičky požadavku, na kterých odpověď závisí.',
  'How the body is compressed. Absent when it is not.': 'Jak je tělo zkomprimováno. Chybí, pokud není.',
  'Any web page may read this resource.': 'Číst smí jakákoli webová stránka.',
  'Identifier of this request, made by the server. Name it when you ask the operator about a request.':
    'Identifikátor požadavku, který přidělil server. Uveďte ho, když se na požadavek ptáte provozovatele.',
  'Requests allowed in the current minute by the limit that counted this request.':
    'Kolik požadavků v této minutě dovoluje limit, který požadavek započítal.',
  'Requests left in the current minute, at least 0.': 'Kolik požadavků v této minutě zbývá, nejméně 0.',
  'End of the current minute as a Unix timestamp in seconds. The count resets then.':
    'Konec této minuty jako unixový čas v sekundách. Tehdy se počet vynuluje.',
  'Seconds to wait before the next request. Whoever waits this long after a 429 is in a new minute of its limit.':
    'Kolik sekund čekat před dalším požadavkem. Kdo tak dlouho počká po 429, je už v nové minutě svého limitu.',
  [feedStatus]:
    'Stav přísunu tržních dat v okamžiku odpovědi, stejně jako `components.ticker` v GET /v1/status: `operational`, `degraded`, když data přicházejí náhradní cestou, a `outage`, jakmile jsou pozadu o více než 5 minut. Výčet se může v rámci v1 rozšířit: neznámou hodnotu berte jako nerozpoznanou a neskončete kvůli ní chybou.',
  'How to authenticate: with an API key, in the X-EXCHANGE-APIKEY header.':
    'Jak se ověřit: API klíčem v hlavičce X-EXCHANGE-APIKEY.',
  'Strong entity tag of exactly these bytes. Send it back in `If-None-Match` to get 304 while nothing changed.':
    'Silný štítek přesně těchto bajtů. Pošlete ho zpět v `If-None-Match` a dokud se nic nezmění, dostanete 304.',

  // Fields of the status.
  'Current server time, ISO 8601 in UTC with milliseconds.': 'Aktuální čas serveru, ISO 8601 v UTC s milisekundami.',
  'Overall status: `maintenance` whenever an announced window is running, otherwise the worst of `api` and the components.':
    'Celkový stav: `maintenance`, kdykoli probíhá ohlášená údržba, jinak nejhorší ze stavu `api` a součástí.',
  'Status of the API itself: `operational`, or `maintenance` during an announced window.':
    'Stav samotného API: `operational`, nebo `maintenance` během ohlášené údržby.',
  'The parts the API depends on. Parts can be added.': 'Součásti, na kterých API závisí. Mohou přibývat.',
  'Status of the market data feed that the price endpoints read: `outage` once it is more than 5 minutes behind, `degraded` while data is served over a fallback path, otherwise `operational`. Answers with prices carry it too, in the header `X-Feed-Status`.':
    'Stav přísunu tržních dat, ze kterých se čtou ceny: `outage`, jakmile jsou pozadu o více než 5 minut, `degraded`, když data přicházejí náhradní cestou, jinak `operational`. Odpovědi s cenami ho nesou také, v hlavičce `X-Feed-Status`.',
  'The running maintenance window, else the nearest announced one, else null. Announced does not mean running: see `status`.':
    'Probíhající údržba, jinak nejbližší ohlášená, jinak null. Ohlášená neznamená probíhající: viz `status`.',
  'When the feed was last updated, ISO 8601 in UTC; null when no feed status exists at all. Its distance from `serverTime` is the age of the market data.':
    'Kdy byla data naposledy aktualizována, ISO 8601 v UTC; null, pokud se o datech ještě nic neví. Rozdíl od `serverTime` je stáří tržních dat.',
  'The same instant as `lastUpdatedAt`, in milliseconds since the Unix epoch; null together with it.':
    'Tentýž okamžik jako `lastUpdatedAt`, v milisekundách od počátku unixové epochy; null spolu s ním.',
  'Start of the window, ISO 8601 in UTC.': 'Začátek údržby, ISO 8601 v UTC.',
  'Expected end of the window, ISO 8601 in UTC. It can move while the window runs.':
    'Očekávaný konec údržby, ISO 8601 v UTC. V jejím průběhu se může posunout.',
  'What the maintenance is about, in English.': 'Čeho se údržba týká, anglicky.',

  // Fields of markets and prices.
  'Base and quote currency joined without a separator.': 'Základní a kotační měna spojené bez oddělovače.',
  'Code of the base currency.': 'Kód základní měny.',
  'Code of the quote currency, for example EUR or CZK.': 'Kód kotační měny, například EUR nebo CZK.',
  'Trading state of the market.': 'Stav obchodování na trhu.',
  'Decimal places every price of the market is rounded to.': 'Na kolik desetinných míst se zaokrouhlují ceny trhu.',
  'Decimal places every amount of the base currency is rounded to.':
    'Na kolik desetinných míst se zaokrouhluje množství základní měny.',
  'Smallest step of a price, in the quote currency. For internally converted quote currencies it is derived from `pricePrecision`.':
    'Nejmenší krok ceny v kotační měně. U interně přepočítávaných měn je odvozen z `pricePrecision`.',
  'Smallest size of an order, in the base currency.': 'Nejmenší velikost pokynu v základní měně.',
  'Smallest value of an order, in the quote currency. Absent when the market has no such minimum, and for internally converted quote currencies.':
    'Nejmenší hodnota pokynu v kotační měně. Chybí, pokud trh takové minimum nemá, a u interně přepočítávaných měn.',
  'Ordered by symbol. Delisted markets are included for 30 days.':
    'Seřazeno podle symbolu. Vyřazené trhy jsou zahrnuty ještě 30 dní.',
  'Final price in the quote currency that a client pays per unit of the base currency when buying now. Includes the standard fee, and the currency margin where the quote currency is converted (CZK). Not a binding offer.':
    'Konečná cena v kotační měně, kterou klient zaplatí za jednotku základní měny, když koupí teď. Obsahuje standardní poplatek a u přepočítávané měny (CZK) i měnovou přirážku. Není závaznou nabídkou.',
  'Final price in the quote currency that a client receives per unit of the base currency when selling now. Includes the standard fee, and the currency margin where the quote currency is converted (CZK). Not a binding offer.':
    'Konečná cena v kotační měně, kterou klient dostane za jednotku základní měny, když prodá teď. Obsahuje standardní poplatek a u přepočítávané měny (CZK) i měnovou přirážku. Není závaznou nabídkou.',
  'Highest price on the exchange in the last 24 hours, without fees, in the quote currency. Converted at the middle market rate where the quote currency is converted.':
    'Nejvyšší cena na burze za posledních 24 hodin, bez poplatků, v kotační měně. U přepočítávané měny převedena středním tržním kurzem.',
  'Lowest price on the exchange in the last 24 hours, without fees, in the quote currency. Converted at the middle market rate where the quote currency is converted.':
    'Nejnižší cena na burze za posledních 24 hodin, bez poplatků, v kotační měně. U přepočítávané měny převedena středním tržním kurzem.',
  'Volume on the exchange in the last 24 hours, in the base currency.':
    'Objem obchodů na burze za posledních 24 hodin v základní měně.',
  'Volume weighted average price on the exchange in the last 24 hours, without fees, in the quote currency. Absent when the feed does not provide it.':
    'Průměrná cena na burze za posledních 24 hodin vážená objemem, bez poplatků, v kotační měně. Chybí, pokud ji zdroj neposkytuje.',
  'When the ticker was captured, ISO 8601 in UTC with milliseconds.':
    'Kdy byly ceny zachyceny, ISO 8601 v UTC s milisekundami.',
  'One entry for each traded market that currently has a price. It can be shorter than the list of markets.':
    'Jedna položka za každý obchodovaný trh, který má právě cenu. Seznam může být kratší než seznam trhů.',

  // Fields of errors, of the description and of the root.
  'Address of a page that describes the error: its last segment is the name of the error in kebab case.':
    'Adresa stránky, která chybu popisuje: její poslední část je název chyby malými písmeny se spojovníky.',
  [errorCodeText]:
    'Strojově čitelný kód chyby. Rozhodujte se podle tohoto pole, ne podle textů. Dnešní kódy jsou v [seznamu chyb](/errors). Výčet se může v rámci v1 rozšířit: u neznámého kódu se řiďte stavem HTTP.',
  'Short summary, always the same for a code.': 'Krátké shrnutí, pro každý kód vždy stejné.',
  'The HTTP status of the response.': 'Stav HTTP odpovědi.',
  'What went wrong this time, for people. The text can change at any time.':
    'Co se tentokrát nepovedlo, pro lidi. Text se může kdykoli změnit.',
  'Identifier of the request; equals the `X-Request-Id` header. Name it when you ask the operator.':
    'Identifikátor požadavku; shoduje se s hlavičkou `X-Request-Id`. Uveďte ho, když se ptáte provozovatele.',
  'Name of the service.': 'Název služby.',
  'Version of the API, the same as in the OpenAPI document.': 'Verze API, stejná jako v dokumentu OpenAPI.',
  'Where to go from here.': 'Kam dál.',
  'This description, as OpenAPI 3.1 in JSON.': 'Tento popis jako OpenAPI 3.1 v JSON.',
  'The reference, for people.': 'Dokumentace pro lidi.',
  'The error pages. The `type` of every problem lies below it.':
    'Stránky chyb. Pod touto adresou leží `type` každé chyby.',
  'The status page, for people.': 'Stránka stavu pro lidi.',
  'The version of OpenAPI.': 'Verze OpenAPI.',
  'Title and version of the API.': 'Název a verze API.',
  'Name of the API.': 'Název API.',
  'Version of the API.': 'Verze API.',
  'The endpoints.': 'Adresy API.',
};
