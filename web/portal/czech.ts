/** Texts of the scripts by their English. What `{name}` stands for is the same in both. */
export const czech: Readonly<Record<string, string>> = {
  Copy: 'Kopírovat',
  Copied: 'Zkopírováno',
  'Not allowed': 'Nepovoleno',
  code: 'kód',
  'less than a second': 'méně než sekunda',

  // Search.
  'Search the documentation': 'Hledat v dokumentaci',
  Close: 'Zavřít',
  'Type a word or several.': 'Napište jedno nebo více slov.',
  'The index cannot be loaded.': 'Rejstřík nelze načíst.',
  'Nothing was found.': 'Nic nebylo nalezeno.',
  'Results: {count}.': 'Výsledků: {count}.',
  Results: 'Výsledky',

  // Trying requests.
  Show: 'Zobrazit',
  Hide: 'Skrýt',
  'Sending ...': 'Odesílá se ...',
  '{status} in {duration} ms': '{status} za {duration} ms',
  'No answer. The service cannot be reached from here, or took too long.':
    'Žádná odpověď. Služba odsud není dosažitelná, nebo jí to trvalo příliš dlouho.',
  'Enter an API key first.': 'Nejprve zadejte API klíč.',
  'The markets cannot be loaded: {status}.': 'Trhy nelze načíst: {status}.',
  '{count} markets to choose from.': 'Na výběr trhů: {count}.',
  Headers: 'Hlavičky',
  Body: 'Tělo',
  '... {count} more characters': '... a ještě znaků: {count}',

  // Status.
  Loading: 'Načítá se',
  'Status page': 'Stránka stavu',
  Unreachable: 'Nedostupná',
  'This page has had no answer from the service since {since}.': 'Stránka od {since} nedostala od služby odpověď.',
  'No market data has arrived yet.': 'Zatím nepřišla žádná tržní data.',
  'Market data is {duration} old.': 'Stáří tržních dat: {duration}.',
  'Expected end: {end}.': 'Očekávaný konec: {end}.',
  'Next maintenance: {start}.': 'Příští údržba: {start}.',
  Unrecognized: 'Neznámý stav',
  'The service reports a state that this page does not know.': 'Služba hlásí stav, který tato stránka nezná.',
  Operational: 'V provozu',
  'Everything works.': 'Všechno funguje.',
  Degraded: 'Omezený provoz',
  'Prices are served, but the service works worse than usual: see the age of the data.':
    'Ceny jsou dostupné, ale služba funguje hůře než obvykle: podívejte se na stáří dat.',
  'No market data is arriving. The last known prices are still served: see the age of the data.':
    'Tržní data nepřicházejí. Poslední známé ceny jsou stále dostupné: podívejte se na stáří dat.',
  'Nothing that is measured is wrong. An incident is open: see below.':
    'Nic z toho, co se měří, není v nepořádku. Je otevřen incident: viz níže.',
  Outage: 'Výpadek',
  'Market data is not arriving, or is too old to rely on. The last known prices are still served: check their timestamps.':
    'Tržní data nepřicházejí, nebo jsou příliš stará na to, aby se na ně dalo spolehnout. Poslední známé ceny jsou stále dostupné: kontrolujte jejich čas.',
  Maintenance: 'Údržba',
  'An announced maintenance window is running. Until it ends, every endpoint under /v1 but /v1/status answers 503 SERVICE_MAINTENANCE.':
    'Probíhá ohlášená údržba. Do jejího konce odpovídají všechny koncové body pod /v1 kromě /v1/status chybou 503 SERVICE_MAINTENANCE.',
  Unknown: 'Neznámý',
  'This page cannot tell whether the service works for others.': 'Stránka nemůže zjistit, zda služba funguje ostatním.',
  'The last request got no answer.': 'Poslední dotaz zůstal bez odpovědi.',
  'Updated every 5 seconds; last answer {duration} ago.':
    'Aktualizuje se každých 5 sekund; od poslední odpovědi uplynulo: {duration}.',
  'This page has not reached the service since {since}. It tries again every 5 seconds.':
    'Stránka se od {since} nemůže spojit se službou. Zkouší to znovu každých 5 sekund.',
  'What it shows is from {last} and may have changed.': 'Zobrazené údaje jsou z {last} a mohly se změnit.',
  'the server time shown': 'uvedeného času serveru',
  'No data has arrived yet.': 'Zatím nepřišla žádná data.',
  '{duration}, last update at {time}': '{duration}, naposledy aktualizováno {time}',
  'No maintenance is announced.': 'Žádná údržba není ohlášena.',
  Running: 'Probíhá',
  Announced: 'Ohlášeno',
  ' to ': ' až ',
  'It starts in {duration} and changes nothing before.': 'Do začátku zbývá: {duration}. Do té doby se nic nemění.',
  'It is expected to end in {duration}.': 'Do očekávaného konce zbývá: {duration}.',
  'Its expected end has passed.': 'Očekávaný konec už uplynul.',
};
