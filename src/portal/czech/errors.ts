/** The error table, and what the pages of errors say about it. */
export const errorsInCzech: Readonly<Record<string, string>> = {
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

  'Invalid parameter': 'Neplatný parametr',
  'A query parameter is missing, malformed, out of range, or given more than once.':
    'Parametr dotazu chybí, má nesprávný tvar, je mimo rozsah, nebo je uveden vícekrát.',
  'Read which parameters the detail names, correct them, and send the request again.':
    'V poli detail najdete, o které parametry jde. Opravte je a odešlete požadavek znovu.',
  'No. The same request fails again until its parameters are corrected.':
    'Ne. Stejný požadavek selže znovu, dokud parametry neopravíte.',
  'Missing API key': 'Chybí API klíč',
  'The request has no X-EXCHANGE-APIKEY header.': 'Požadavek nemá hlavičku X-EXCHANGE-APIKEY.',
  'Send your API key verbatim in the X-EXCHANGE-APIKEY header, without a prefix. You create keys in the client application, under profile and security, on the API keys tab.':
    'Pošlete svůj API klíč beze změny v hlavičce X-EXCHANGE-APIKEY, bez předpony. Klíče se vytvářejí v klientské aplikaci, v části Profil a zabezpečení na kartě API klíče.',
  'No. Send the header. Requests without a key count against a small limit per address.':
    'Ne. Pošlete hlavičku. Požadavky bez klíče se počítají do malého limitu na adresu.',
  'Invalid API key': 'Neplatný API klíč',
  'The key in the X-EXCHANGE-APIKEY header cannot be used: its value is wrong, it is disabled, revoked or expired, or the account behind it is not active. The answer is the same in every case, so that strangers learn nothing from it.':
    'Klíč v hlavičce X-EXCHANGE-APIKEY nelze použít: má nesprávnou hodnotu, je vypnutý, zrušený nebo vypršel, anebo není aktivní účet, ke kterému patří. Odpověď je ve všech případech stejná, aby z ní cizí lidé nic nevyčetli.',
  'Check that the value is complete and sent once, without quotes, spaces or a prefix. Then check the state of the key and of the account in the client application.':
    'Zkontrolujte, že je hodnota úplná a posílá se jednou, bez uvozovek, mezer a předpony. Potom v klientské aplikaci zkontrolujte stav klíče a účtu.',
  'No. Use a valid key. Refused keys count against a small limit per address.':
    'Ne. Použijte platný klíč. Odmítnuté klíče se počítají do malého limitu na adresu.',
  'Unknown symbol': 'Neznámý symbol',
  'The symbol was never listed, or its market has been delisted.':
    'Symbol nikdy nebyl v nabídce, nebo byl jeho trh vyřazen.',
  'Take symbols from GET /v1/markets, from markets whose status is not delisted.':
    'Berte symboly z GET /v1/markets, a to z trhů, jejichž stav není delisted.',
  'No. A delisted market does not come back.': 'Ne. Vyřazený trh se nevrací.',
  'Not found': 'Nenalezeno',
  'Nothing exists at the path of the request.': 'Na cestě požadavku nic není.',
  'Check the path. Paths match exactly, including case and trailing slashes.':
    'Zkontrolujte cestu. Musí přesně souhlasit, včetně velikosti písmen a lomítka na konci.',
  'No. The path does not exist.': 'Ne. Cesta neexistuje.',
  'Rate limit exceeded': 'Limit požadavků překročen',
  'There were more requests than allowed in the current minute: from one API key, from one address without a key, or from one address with failed authentication.':
    'V této minutě přišlo více požadavků, než je dovoleno: z jednoho API klíče, z jedné adresy bez klíče, nebo z jedné adresy s neúspěšným ověřením.',
  'Wait as many seconds as the Retry-After header says, then continue. Poll GET /v1/tickers once rather than GET /v1/ticker for each market. The X-RateLimit headers of every answer show how much is left.':
    'Počkejte tolik sekund, kolik říká hlavička Retry-After, a pak pokračujte. Místo GET /v1/ticker pro každý trh se ptejte jednou na GET /v1/tickers. Kolik požadavků zbývá, ukazují hlavičky X-RateLimit v každé odpovědi.',
  'Yes, after Retry-After seconds: the limit resets at the next full minute.':
    'Ano, po uplynutí Retry-After: limit se obnovuje s každou celou minutou.',
  'Market data unavailable': 'Tržní data nejsou dostupná',
  'The price feed delivers no data, the market is traded but has no price at the moment, or the market is quoted in CZK and the CZK/EUR rate is not available.':
    'Zdroj cen nedodává data, trh se obchoduje, ale právě nemá cenu, nebo je trh kotován v CZK a není dostupný kurz CZK/EUR.',
  'Wait as many seconds as the Retry-After header says. GET /v1/status shows the state of the feed.':
    'Počkejte tolik sekund, kolik říká hlavička Retry-After. Stav přísunu dat ukazuje GET /v1/status.',
  'Yes, after Retry-After seconds: prices return as soon as the data does.':
    'Ano, po uplynutí Retry-After: ceny se vrátí, jakmile se vrátí data.',
  'Service maintenance': 'Údržba služby',
  'An announced maintenance window is running.': 'Probíhá ohlášená údržba.',
  'Wait as many seconds as the Retry-After header says. GET /v1/status keeps answering and shows the expected end.':
    'Počkejte tolik sekund, kolik říká hlavička Retry-After. GET /v1/status odpovídá i během údržby a ukazuje její očekávaný konec.',
  'Yes, after Retry-After seconds, or once GET /v1/status no longer reports maintenance.':
    'Ano, po uplynutí Retry-After, nebo jakmile GET /v1/status údržbu přestane hlásit.',
  'Bad request': 'Chybný požadavek',
  'The request is not HTTP that the server can accept: a malformed request line or header, contradictory lengths, a path with broken percent-encoding, or a body that is too large.':
    'Požadavek není HTTP, které by server mohl přijmout: nesprávný první řádek nebo hlavička, rozporné délky, cesta s porušeným procentovým kódováním, nebo příliš velké tělo.',
  'Send the request with a standard HTTP client, without a body, and encode the path and query correctly.':
    'Pošlete požadavek běžným klientem HTTP, bez těla, a cestu i parametry správně zakódujte.',
  'No. The same bytes are refused again.': 'Ne. Stejná data budou odmítnuta znovu.',
  'Method not allowed': 'Nepovolená metoda',
  'The path exists, but not for this HTTP method. Every resource is read only.':
    'Cesta existuje, ale ne pro tuto metodu HTTP. Vše je jen pro čtení.',
  'Use GET, or HEAD for the headers alone. The Allow header lists the methods.':
    'Použijte GET, nebo HEAD jen pro hlavičky. Metody uvádí hlavička Allow.',
  'No. Use another method.': 'Ne. Použijte jinou metodu.',
  'Request timeout': 'Čas na požadavek vypršel',
  'The request was not complete within the time the server waits for one. The connection is closed.':
    'Požadavek nepřišel celý v době, po kterou na něj server čeká. Spojení se uzavírá.',
  'Open a new connection and send the whole request at once.':
    'Otevřete nové spojení a pošlete celý požadavek najednou.',
  'Yes, on a new connection, at once.': 'Ano, hned, na novém spojení.',
  'Expectation failed': 'Očekávání nelze splnit',
  'The request carries an Expect header that asks for something the server does not support.':
    'Požadavek má hlavičku Expect, která žádá něco, co server nepodporuje.',
  'Leave the Expect header out.': 'Hlavičku Expect vynechte.',
  'No. The same header is refused again.': 'Ne. Stejná hlavička bude odmítnuta znovu.',
  'Request header fields too large': 'Hlavičky požadavku jsou příliš velké',
  'The request line and headers together are larger, or the headers more numerous, than the server accepts.':
    'První řádek a hlavičky jsou dohromady větší, nebo je hlaviček více, než server přijímá.',
  'Send fewer or shorter headers, and a shorter address.':
    'Pošlete méně hlaviček nebo kratší hlavičky a kratší adresu.',
  'No. The same headers are refused again.': 'Ne. Stejné hlavičky budou odmítnuty znovu.',
  'Internal error': 'Vnitřní chyba',
  'The server has a fault. The operator finds the reason in the log, under the request id.':
    'Na serveru je závada. Provozovatel najde příčinu v protokolu podle identifikátoru požadavku.',
  'Send the request again a little later. If it keeps failing, tell the operator the requestId.':
    'Odešlete požadavek o chvíli později znovu. Pokud selhává dál, sdělte provozovateli requestId.',
  'Often. Wait a few seconds, and longer after each failure.':
    'Často ano. Počkejte pár sekund a po každém nezdaru déle.',
  'Service overloaded': 'Služba je přetížená',
  'The server has more requests than it can answer in time. Meanwhile it refuses clients that it was not serving already. A refused request counts against no limit.':
    'Server má více požadavků, než stačí včas vyřídit. Zatím odmítá klienty, které předtím neobsluhoval. Odmítnutý požadavek se do žádného limitu nepočítá.',
  'Wait as many seconds as the Retry-After header says, and keep the connection open between requests. GET /v1/status keeps answering.':
    'Počkejte tolik sekund, kolik říká hlavička Retry-After, a mezi požadavky nechte spojení otevřené. GET /v1/status odpovídá dál.',
  'Yes, after Retry-After seconds, and longer after each refusal.':
    'Ano, po uplynutí Retry-After a po každém odmítnutí déle.',
};
