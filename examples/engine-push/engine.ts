// Pushes the prices of an engine to the service: node engine.ts ws://127.0.0.1:9090/ingest/v1, with the token in SOURCE_TOKEN.
import { WebSocket } from 'ws';

const markets = [
  {
    base: 'BTC',
    quote: 'EUR',
    status: 'trading',
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.00005',
  },
  {
    base: 'ETH',
    quote: 'EUR',
    status: 'trading',
    pricePrecision: 2,
    amountPrecision: 8,
    tickSize: '0.01',
    minOrderSize: '0.001',
  },
];
const epoch = Date.now(); // Higher with every start.
let seq = 0;

// Where your engine knows its prices.
function bookOf(symbol: string) {
  const cents = BigInt(symbol === 'BTCEUR' ? 5_000_000 : 200_000) + BigInt(Math.floor(Math.random() * 1_000));
  const text = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
  return {
    bid: text(cents),
    ask: text(cents + 10n),
    high24h: text(cents + 5_000n),
    low24h: text(cents - 5_000n),
    volume24h: '12.5',
  };
}

function connect(): void {
  const socket = new WebSocket(process.argv[2]!, { headers: { Authorization: `Bearer ${process.env.SOURCE_TOKEN}` } });
  const send = (message: object) => socket.send(JSON.stringify(message));
  const ticker = (symbol: string) => send({ type: 'ticker', seq: ++seq, symbol, time: Date.now(), ...bookOf(symbol) });
  const symbols = markets.map(({ base, quote }) => base + quote);
  let timers: ReturnType<typeof setInterval>[] = [];
  socket.on('open', () => {
    send({ type: 'hello', protocol: 1, epoch });
    timers = [
      setInterval(() => send({ type: 'heartbeat', lastSeq: seq }), 1_000),
      setInterval(() => ticker(symbols[seq % symbols.length]!), 100),
    ];
  });
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { type: string };
    if (message.type === 'error') process.stderr.write(`${JSON.stringify(message)}\n`);
    if (message.type !== 'resync') return;
    send({ type: 'catalogue', markets });
    send({ type: 'snapshot', phase: 'begin' });
    for (const symbol of symbols) ticker(symbol);
    send({ type: 'snapshot', phase: 'end' });
  });
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
  socket.on('close', () => {
    for (const timer of timers) clearInterval(timer);
    setTimeout(connect, 1_000);
  });
}

connect();
