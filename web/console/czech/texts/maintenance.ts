/** Texts of maintenance. */
export const maintenance = {
  'The maintenance is announced.': 'Údržba je ohlášena.',
  'Announce maintenance': 'Ohlásit údržbu',
  'Lasting {span}': 'Trvání {span}',
  Description: 'Popis',
  'Clients read it, in English: what is done, not who does it.': 'Čtou ho klienti, anglicky: co se dělá, ne kdo.',
  Announce: 'Ohlásit',
  'What clients will see': 'Co uvidí klienti',
  'Fill in the form, and the answers of the service appear here.': 'Vyplňte formulář a objeví se tu odpovědi služby.',
  'It overlaps with maintenance already announced.': 'Překrývá se s již ohlášenou údržbou.',
  'Clients see the one that ends last.': 'Klienti vidí tu, která končí později.',
  'From the announcement on': 'Od ohlášení',
  'While it runs': 'Během údržby',
  'They wait {span} at its start, and less the nearer its end comes.':
    'Na začátku čekají {span}, a čím blíže konci, tím méně.',
  'GET /v1/status while it runs': 'GET /v1/status během údržby',
  'Running and announced': 'Probíhající a ohlášené',
  'No maintenance is announced.': 'Žádná údržba není ohlášena.',
  'Announce early: clients see it in /v1/status and can plan.':
    'Ohlašujte včas: klienti ji vidí v /v1/status a mohou plánovat.',
  '{from} to {to}, {span}': '{from} až {to}, {span}',
  'Past maintenance': 'Minulé údržby',
  What: 'Co',
  early: 'předčasně',
  Extend: 'Prodloužit',
  'Extend the maintenance?': 'Prodloužit údržbu?',
  'The maintenance is extended.': 'Údržba je prodloužena.',
  By: 'O',
  'It then ends at <strong>{end}</strong> ({utc}). Clients see the new end in /v1/status and in Retry-After within a second.':
    'Skončí pak <strong>{end}</strong> ({utc}). Klienti uvidí nový konec do sekundy v /v1/status a v Retry-After.',
  'End now': 'Ukončit hned',
  'End the maintenance now?': 'Ukončit údržbu hned?',
  'The maintenance is over. Prices are served.': 'Údržba skončila. Ceny se vydávají.',
  'Everything is served again within a second, earlier than {end}.': 'Do sekundy se vše opět vydává, dříve než {end}.',
  'Everything is served again within a second.': 'Do sekundy se vše opět vydává.',
  'Clients that wait for Retry-After come back by then.':
    'Klienti, kteří čekají podle Retry-After, se do té doby vrátí.',
  'Cancel the maintenance?': 'Zrušit údržbu?',
  'Cancel the maintenance': 'Zrušit údržbu',
  'The maintenance is cancelled.': 'Údržba je zrušena.',
  '“{text}” will not take place. It goes from /v1/status within a second.':
    '„{text}“ se neuskuteční. Z /v1/status do sekundy zmizí.',
} as const;
