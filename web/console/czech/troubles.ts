/** Sentences about the store, the record, sending and overload by their English, as those in `service.ts`. */
export const troubles: Readonly<Record<string, string>> = {
  // The store.
  'this start brought the database up to date. To go back: stop the service, run `mdapi store restore {path} --replace`, and start the version before':
    'tento start aktualizoval databázi. Návrat: zastavte službu, spusťte `mdapi store restore {path} --replace` a předchozí verzi',
  'The database {path} is locked by another program. Let that program finish its transaction, then try again.':
    'Databázi {path} zamkl jiný program. Nechte ho dokončit transakci a zkuste to znovu.',
  'The database {path} cannot be written. Give this user write permission on the file and on its directory.':
    'Do databáze {path} nelze zapisovat. Dejte tomuto uživateli právo zápisu k souboru i k jeho adresáři.',
  'The database {path} cannot be read in full. Check the disk and restore a backup.':
    'Databázi {path} nelze celou přečíst. Zkontrolujte disk a obnovte zálohu.',
  'The disk that holds the database {path} is full. Free some space.':
    'Disk s databází {path} je plný. Uvolněte místo.',
  'The database {path} cannot be opened. Check that the path is right and that this user may read and write it.':
    'Databázi {path} nelze otevřít. Zkontrolujte cestu a práva tohoto uživatele ke čtení a zápisu.',
  'The file {path} is not an SQLite database. Name another file in `store`, or move this one away.':
    'Soubor {path} není databáze SQLite. Uveďte v `store` jiný, nebo tento přesuňte.',
  'The disk that holds the database {path} takes no more: it fails, or a quota or a limit on the size of files is reached. Free some space or raise the limit.':
    'Disk s databází {path} už nic nepřijme: selhává, nebo je vyčerpána kvóta či velikost souboru. Uvolněte místo, nebo zvyšte mez.',
  'The database {path} refused: {why}.': 'Databáze {path} odmítla: {why}.',
  'The database is read-only: nothing can be saved.': 'Databáze je jen pro čtení: nic nelze uložit.',
  'The database {name} does not answer. Check the server and the network to it.':
    'Databáze {name} neodpovídá. Zkontrolujte server a síť k němu.',
  'The database {name} did not answer in time. Check the server and the network to it.':
    'Databáze {name} neodpověděla včas. Zkontrolujte server a síť k němu.',
  'The database {name} offers no TLS. Turn on `ssl` there; sslmode=disable is for private networks.':
    'Databáze {name} nenabízí TLS. Zapněte na ní `ssl`; sslmode=disable je pro soukromé sítě.',
  'The database {name} cannot be reached. Check that the server runs and that its address is right.':
    'Databáze {name} není dostupná. Zkontrolujte, zda server běží a má správnou adresu.',
  'The database {name} refuses this user. Check the user in the URL, its password (MDAPI_STORE_FILE, PGPASSFILE) and pg_hba.conf.':
    'Databáze {name} odmítá tohoto uživatele. Zkontrolujte uživatele v URL, jeho heslo (MDAPI_STORE_FILE, PGPASSFILE) a pg_hba.conf.',
  'The database {name} took too long to answer. Look for long transactions and an overloaded machine.':
    'Databáze {name} odpovídala příliš dlouho. Hledejte dlouhé transakce a přetížený stroj.',
  'The database {name} was written by another program at the same moment. Try again.':
    'Do databáze {name} ve stejnou chvíli zapisoval jiný program. Zkuste to znovu.',
  'The database {name} is read-only: a standby, or one made so. Point `store` at the primary.':
    'Databáze {name} je jen pro čtení: záložní, nebo tak nastavená. Uveďte v `store` primární.',
  'The database {name} does not exist. Create it, with this user as its owner.':
    'Databáze {name} neexistuje. Vytvořte ji s tímto uživatelem jako vlastníkem.',
  'The database {name} denies this user a right it needs. Make it the owner of the database’s tables.':
    'Databáze {name} nedává tomuto uživateli potřebné právo. Učiňte ho vlastníkem jejích tabulek.',
  'The database {name} has no connection left. Raise max_connections, or close what holds them.':
    'Databáze {name} nemá volné spojení. Zvyšte max_connections, nebo zavřete, co je drží.',
  'The database {name} has no room left on its disk. Free some space.':
    'Databáze {name} nemá na disku místo. Uvolněte ho.',
  'The database {name} is short of memory or of another resource. Look into the log of its server.':
    'Databázi {name} chybí paměť nebo jiný prostředek. Podívejte se do logu jejího serveru.',
  'The database {name} cannot be read in full. Check its disk and restore a backup.':
    'Databázi {name} nelze celou přečíst. Zkontrolujte její disk a obnovte zálohu.',
  'The database {name} could not be brought up to date.': 'Databázi {name} se nepodařilo aktualizovat.',

  // Refusals of the store.
  'The key {id} is disabled. Enable it first, or create a new key.':
    'Klíč {id} je zakázán. Nejprve ho povolte, nebo vytvořte nový.',
  'The key {id} has expired. Create a new key.': 'Klíči {id} skončila platnost. Vytvořte nový.',
  'The key {id} was rotated already; {replacedBy} replaced it.': 'Klíč {id} už byl vyměněn; nahradil ho {replacedBy}.',
  'The overlap of a rotation must not end in the past.': 'Souběh starého a nového klíče nesmí skončit v minulosti.',
  'There is no market {symbol}. See `mdapi markets list`.': 'Trh {symbol} není. Viz `mdapi markets list`.',
  'The window {id} already lasts until {to}. Name a later end.': 'Údržba {id} už trvá do {to}. Uveďte pozdější konec.',
  'There is no notice {id}.': 'Zpráva {id} není.',
  'There is no operator token {id}. See `mdapi admin tokens`.': 'Token operátora {id} není. Viz `mdapi admin tokens`.',
  'There is no source token {id}. See `mdapi sources tokens`.': 'Token zdroje {id} není. Viz `mdapi sources tokens`.',
  'The name of a token has {rule}.':
    'Název tokenu má 1 až 60 písmen, číslic, mezer a znaků . _ @ - a začíná písmenem nebo číslicí.',
  'The token {id} has the name "{name}" already. Revoke it first, or choose another name.':
    'Název „{name}“ už má token {id}. Nejprve ho zneplatněte, nebo zvolte jiný.',
  'Erasing is final. Repeat {name} in confirm.': 'Vymazání je trvalé. Pro potvrzení zopakujte {name}.',
  'Delisting is final. Repeat {name} in confirm.': 'Vyřazení je trvalé. Pro potvrzení zopakujte {name}.',

  // Requests that the management API does not take.
  'The body has more than 64 kB.': 'Tělo má více než 64 kB.',
  'Send the body as JSON, with the header Content-Type: application/json.':
    'Pošlete tělo jako JSON s hlavičkou Content-Type: application/json.',
  'The body is not valid JSON.': 'Tělo není platný JSON.',
  'The body is not as long as its Content-Length says.': 'Tělo nemá délku, kterou uvádí Content-Length.',
  'The path has a percent sign that does not start an escape sequence.':
    'V cestě je znak procenta bez dvou číslic za ním.',
  'The header X-CSRF-Token is missing or not that of this session. GET /api/session returns it.':
    'Hlavička X-CSRF-Token chybí, nebo nepatří této relaci. Vrací ji GET /api/session.',
  'The request comes from a page of another site. Use the console of this server.':
    'Požadavek přišel ze stránky jiného webu. Použijte konzoli tohoto serveru.',
  'There is no destination of this name.': 'Příjemce tohoto názvu není.',
  'There is no hold of this number.': 'Uchování tohoto čísla není.',
  'At most seven days at once.': 'Nejvýše sedm dní najednou.',
  'At most {count} steps at once.': 'Nejvýše kroků najednou: {count}.',
  'This process has as many price streams as it takes.': 'Proces už má tolik proudů cen, kolik jich přijme.',
  'The request could not be answered because of an internal error.':
    'Na požadavek nelze odpovědět kvůli vnitřní chybě.',

  // The record.
  'Its minute is not sealed yet: try again in two minutes.':
    'Jeho minuta ještě není zapečetěna: zkuste to za dvě minuty.',
  'A version that made no proofs recorded it: it is proved with the whole record alone.':
    'Zaznamenala ho verze bez důkazů: dokazuje ho jen celý záznam.',
  'The record lacks a part of this answer.': 'V záznamu část této odpovědi chybí.',
  'The record is not as it was written: `mdapi history verify` names where.':
    'Záznam není, jak byl zapsán: kde, řekne `mdapi history verify`.',
  'its file or database was moved or exchanged': 'jeho soubor nebo databáze byla přesunuta nebo vyměněna',
  'chain {chain}, segment {number}: {what}, chunk {chunk}': 'řetězec {chain}, segment {number}: {what}, část {chunk}',
  'chain {chain}, segment {number}: {what}': 'řetězec {chain}, segment {number}: {what}',
  '{day}: chain {chain}, segment {number}: {what}': '{day}: řetězec {chain}, segment {number}: {what}',
  'cut off, the chain ends before it': 'odříznuto, řetězec končí před ním',
  'run {number}: {what}': 'běh {number}: {what}',
  'hold {number}: {what}': 'uchování {number}: {what}',
  'deletion {number} of chain {chain}: {what}': 'smazání {number} řetězce {chain}: {what}',
  'entry {number} of the ledger ({kind}): {what}': 'zápis {number} v knize ({kind}): {what}',
  'entry {number} of the ledger: {what}': 'zápis {number} v knize: {what}',

  // Sending.
  'the mail server cannot be reached': 'poštovní server není dostupný',
  'the account is gone': 'účet už není',
  'no mail can be sent to this address': 'na tuto adresu nelze poslat e-mail',
  'no mail server is configured': 'poštovní server není v nastavení',
  'no answer in time': 'bez odpovědi v čase',
  'the server that sent it ended before the mail server answered':
    'odesílající server skončil dřív, než poštovní server odpověděl',

  // Overload.
  'overloaded: {cause}; {what} are refused': 'přetížení: {cause}; odmítají se {what}',
  'requests without a key': 'požadavky bez klíče',
  'requests without a key, and with one on new connections': 'požadavky bez klíče a s klíčem na nových spojeních',
  'all requests but /v1/time and /v1/status': 'všechny požadavky kromě /v1/time a /v1/status',
  '{share} of the heap is in use': 'využití haldy {share}',
  '{bytes} of answers wait for their clients': '{bytes} odpovědí čeká na své klienty',
  'the serving thread is busy {share} and late by {delay}':
    'obsluhující vlákno je vytížené na {share} a opožděné o {delay}',
  '{value} (bound {bound})': '{value} (mez {bound})',
};
