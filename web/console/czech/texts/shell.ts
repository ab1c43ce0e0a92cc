/** Texts of the frame, the sign-in and the search, and of answers that did not come. */
export const shell = {
  // Frame and sign-in.
  'Connecting …': 'Připojuje se …',
  'The service does not answer. Trying again …': 'Služba neodpovídá. Zkouší se znovu …',
  'Skip to the content': 'Přejít k obsahu',
  'No such page': 'Taková stránka není',
  'The address leads nowhere.': 'Adresa nikam nevede.',
  'Go to the <a>overview</a> or choose from the menu.': 'Přejděte na <a>přehled</a>, nebo vyberte z nabídky.',
  Overview: 'Přehled',
  Markets: 'Trhy',
  Terms: 'Podmínky',
  'Feed and rates': 'Příjem dat a kurzy',
  Record: 'Záznam',
  'Accounts and keys': 'Účty a klíče',
  Usage: 'Využití',
  Maintenance: 'Údržba',
  Notices: 'Upozornění',
  'Audit log': 'Protokol změn',
  'Operator tokens': 'Tokeny operátorů',
  Menu: 'Nabídka',
  Pages: 'Stránky',
  'Signed in as': 'Přihlášen(a):',
  'role: {role}': 'role: {role}',
  'Sign out': 'Odhlásit',
  'Sign in': 'Přihlásit',
  'Operator console': 'Konzole operátora',
  'Sign in with {provider}': 'Přihlásit přes {provider}',
  'Or with an operator token:': 'Nebo tokenem operátora:',
  'Operator token': 'Token operátora',
  'No token yet?': 'Ještě nemáte token?',
  'Make one on the machine the service runs on. It is shown once.':
    'Vytvořte si ho na stroji, kde služba běží. Zobrazí se jen jednou.',
  'The token is exchanged for a session cookie and is not kept by this page. A session ends by itself after a while, and when the token is revoked.':
    'Token se vymění za cookie relace a stránka si ho neponechá. Relace po čase skončí sama, a také když je token zneplatněn.',
  'The provider ended the sign-in without letting you in.': 'Poskytovatel přihlášení ukončil a nepustil vás dál.',
  'The sign-in took too long, or began in another browser. Try again.':
    'Přihlášení trvalo příliš dlouho, nebo začalo v jiném prohlížeči. Zkuste to znovu.',
  'The provider knows you, but gives you no role here. Ask whoever runs this service: admin.oidc.roles of the configuration maps your groups to roles, and the log of the service says which claim was looked for and what came.':
    'Poskytovatel vás zná, ale nemáte tu žádnou roli. Obraťte se na správce služby: skupiny přiřazuje k rolím admin.oidc.roles v konfiguraci.',
  'The sign-in failed between this service and the provider. Try again; the log of the service says why.':
    'Přihlášení selhalo mezi službou a poskytovatelem. Zkuste to znovu; důvod je v logu služby.',
  'Too many sign-ins from your address failed. Try again in a minute.':
    'Z vaší adresy selhalo příliš mnoho přihlášení. Zkuste to znovu za minutu.',
  'Try again in {span}.': 'Zkuste to znovu za {span}.',
  Service: 'Služba',
  'Reading the service status …': 'Zjišťuje se stav služby …',
  Feed: 'Příjem dat',
  Data: 'Data',
  'none yet': 'zatím žádná',
  '{span} old': 'stará {span}',
  Requests: 'Dotazy',
  'none announced': 'žádná ohlášená',
  '{from} to {to}: {text}': '{from} až {to}: {text}',
  'running, {span} left': 'probíhá, zbývá {span}',
  'in {span}': 'za {span}',
  'the service is shutting down': 'služba se vypíná',
  'the service is starting': 'služba se spouští',
  'not ready for traffic': 'není připravena na provoz',
  'the database does not answer': 'databáze neodpovídá',
  'No answer from the service since {time}.': 'Služba neodpovídá od {time}.',
  'Everything below is from then: {span} old. Trying again by itself.':
    'Vše níže je z té doby: staré {span}. Zkouší se samo znovu.',
  'Try now': 'Zkusit hned',

  // Answers that did not come, and refusals.
  'A proxy in front of the service answered with {status}.': 'Místo služby odpověděla proxy před ní: {status}.',
  'Cancelled.': 'Zrušeno.',
  'The service does not answer.': 'Služba neodpovídá.',
  'No answer came, so it is not known whether it was done. Look before you try again.':
    'Odpověď nepřišla, takže není známo, zda se to provedlo. Než to zkusíte znovu, podívejte se.',
  'Your session has ended. Sign in and you are back where you were.':
    'Relace skončila. Přihlaste se a vrátíte se tam, kde jste byli.',
  'No answer': 'Bez odpovědi',
  'Not possible': 'Nelze',
  'Request id in the log: <code>{id}</code>': 'Id dotazu v logu: <code>{id}</code>',
  'Try again': 'Zkusit znovu',
  'Loading …': 'Načítá se …',

  // Search.
  'Search everywhere': 'Hledat všude',
  'A market, an e-mail address, the ending of a key, a request id, maintenance or a term.':
    'Trh, e-mailová adresa, konec klíče, id dotazu, údržba nebo podmínka.',
  'Nothing was found.': 'Nic nebylo nalezeno.',
} as const;
