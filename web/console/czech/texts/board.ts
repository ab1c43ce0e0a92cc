/** Texts of the board. */
export const board = {
  'Freeze the display': 'Zmrazit zobrazení',
  'Let it run': 'Spustit dál',
  'The display stands still since {instant}; clients get the present prices.':
    'Zobrazení stojí od {instant}; klienti dostávají současné ceny.',
  'Pause all markets': 'Pozastavit všechny trhy',
  'Clients see every market as paused. Prices are still served.':
    'Klienti uvidí všechny trhy jako pozastavené. Ceny se dál vydávají.',
  'Resume all markets': 'Obnovit všechny trhy',
  "Every operator's pause ends. What the exchange has paused stays paused.":
    'Všechna pozastavení operátorů skončí. Co pozastavila burza, zůstane pozastavené.',
  'Hold all prices': 'Podržet všechny ceny',
  'Every price and every rate stays as it is. After five minutes clients get 503 for all of them.':
    'Všechny ceny a kurzy zůstanou, jak jsou. Po pěti minutách na ně klienti dostanou 503.',
  'Release all prices': 'Uvolnit všechny ceny',
  "Every operator's hold ends, and the next ticks are judged as usual.":
    'Všechna podržení operátorů skončí a další ticky se posoudí jako obvykle.',
  'There are no markets yet.': 'Zatím tu nejsou žádné trhy.',
  "They come with the exchange's catalogue. If they do not, look at the <a>feed</a>.":
    'Přijdou s katalogem burzy. Pokud ne, podívejte se na <a>příjem dat</a>.',
  'No market is like that.': 'Takový trh není.',
  'Show all markets': 'Zobrazit všechny trhy',
  'Any status': 'Jakýkoli stav',
  Trading: 'Obchoduje se',
  Paused: 'Pozastavené',
  Delisted: 'Vyřazené',
  Find: 'Najít',
  'BTC, EURCZK …': 'BTC, EURCZK …',
  Quote: 'Kotační měna',
  'Any quote': 'Jakákoli',
  'Sort by': 'Řadit podle',
  'Without price': 'Bez ceny',
  Market: 'Trh',
  Buy: 'Nákup',
  Sell: 'Prodej',
  Spread: 'Rozpětí',
  Age: 'Stáří',
  'Last hour': 'Poslední hodina',
  'by hand': 'ručně',
  'Delisted: no price any more': 'Vyřazen: už nemá cenu',
  'No ticker from the exchange yet': 'Od burzy zatím nepřišel ticker',
  'Held back for over five minutes': 'Zadržován déle než pět minut',
  'No valid conversion rate': 'Chybí platný převodní kurz',
  'The sell price rounds to zero': 'Prodejní cena se zaokrouhlí na nulu',
  'The exchange lists the market but has sent no usable quote for it. It comes back by itself; look at the feed if it does not.':
    'Burza trh uvádí, ale neposlala k němu použitelnou kotaci. Vrátí se sám; pokud ne, podívejte se na příjem dat.',
  'Look at what is held: accept it if it is right, or release your own hold.':
    'Podívejte se, co se zadržuje: je-li to správně, přijměte to, nebo uvolněte vlastní podržení.',
  'The rate source has not been read for too long. Look at the rates on the feed page.':
    'Zdroj kurzu se příliš dlouho nepodařilo načíst. Podívejte se na kurzy na stránce příjmu dat.',
  'Give the market more decimals with a term.': 'Dejte trhu podmínkou více desetinných míst.',
  'Lists of the sources': 'Seznamy zdrojů',
  'This many are new at once: {markets}. They are not offered yet.':
    'Najednou je nových: {markets}. Zatím se nenabízejí.',
  'This many are above markets.max: {markets}. They are not offered; to offer them, raise it.':
    'Nad markets.max: {markets}. Nenabízejí se; mají-li se nabízet, zvyšte ji.',
  'The list lacks this many: {markets}. It is taken for incomplete until an equal one follows, and they stay as they are.':
    'Seznamu chybí: {markets}. Považuje se za neúplný, dokud nepřijde stejný, a trhy zůstávají, jak jsou.',
  'This many have been missing for so long that they are due: {markets}. They are paused, and not delisted yet.':
    'Tak dlouho chybí, že by byly vyřazeny: {markets}. Jsou pozastavené a zatím se nevyřazují.',
  'Since {instant}.': 'Od {instant}.',
  Which: 'Které',
  'Offer them': 'Nabízet',
  'Offer {markets} of {source}': 'Nabízet {markets} ze zdroje {source}',
  'Clients see them with the next load of the list.': 'Klienti je uvidí s příštím načtením seznamu.',
  Reject: 'Odmítnout',
  'Never offer {markets} of {source}': 'Nikdy nenabízet {markets} ze zdroje {source}',
  'They are not offered, whatever the list says, unless they are accepted later.':
    'Nenabízejí se, ať seznam říká cokoli, dokud je někdo nepřijme.',
  'Delist them': 'Vyřadit',
  'Delist {markets} of {source} for good': 'Natrvalo vyřadit {markets} ze zdroje {source}',
  'This is final: they never come back, not even by hand.': 'Je to konečné: nevrátí se, ani ručně.',
  'Keep them': 'Ponechat',
  'Keep {markets} of {source}': 'Ponechat {markets} ze zdroje {source}',
  'They stay paused until they are listed again, and are not delisted for having been missing until now.':
    'Zůstanou pozastavené, dokud nebudou zase na seznamu, a nevyřadí se za to, že dosud chyběly.',
  '{source}: rejected are {markets}.': '{source}: odmítnuto {markets}.',
} as const;
