/** The lines of a market's chart. The exchange's are dashed and the client's solid, so that colour is not all that tells them apart. */
export const series = [
  { name: 'buy', text: 'Client buys', className: 'buy', colour: '--buy', isDashed: false },
  { name: 'ask', text: 'Exchange ask', className: 'ask', colour: '--accent', isDashed: true },
  { name: 'bid', text: 'Exchange bid', className: 'bid', colour: '--plan', isDashed: true },
  { name: 'sell', text: 'Client sells', className: 'sell', colour: '--sell', isDashed: false },
] as const;

export type SeriesName = (typeof series)[number]['name'];
