// Shows the operator's own prices in browsers: one stream of the private listener, shared among all of them. The token
// stays here. Node 20 or later, no dependencies.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { ADMIN_URL = 'http://127.0.0.1:9090', PRICES_TOKEN, PRICES_TOKEN_FILE, PORT = '8090' } = process.env;
const token = PRICES_TOKEN ?? readFileSync(PRICES_TOKEN_FILE, 'utf8').trim();
const page = readFileSync(new URL('index.html', import.meta.url));

/** The latest price of each market. */
const prices = new Map();
const browsers = new Set();
let version;
let isLive = false;

const silentMaxMs = 15_000;
const reconnectMs = 1_000;
const unsentBytesMax = 4_000_000;

async function follow() {
  const silent = new AbortController();
  // Heartbeats come every 5 seconds: without any the connection is dead, whatever TCP says.
  const timeout = setTimeout(() => silent.abort(), silentMaxMs);
  const headers = { Authorization: `Bearer ${token}`, ...(version && { 'Last-Event-ID': version }) };
  try {
    const answer = await fetch(`${ADMIN_URL}/api/prices/stream`, { headers, signal: silent.signal });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    let text = '';
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      timeout.refresh();
      const events = (text + piece).split('\n\n');
      text = events.pop();
      events.forEach(take);
    }
  } catch (error) {
    process.stderr.write(`the price stream broke: ${error.message}\n`);
  } finally {
    clearTimeout(timeout);
  }
  tell(false);
  setTimeout(follow, reconnectMs);
}

function take(event) {
  const fields = Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/, 2)));
  if (fields.data === undefined) return;
  const { version: current, prices: changed = [], removed = [] } = JSON.parse(fields.data);
  version = current;
  if (fields.event === 'snapshot') prices.clear();
  for (const { ticker } of changed) prices.set(ticker.symbol, ticker);
  for (const symbol of removed) prices.delete(symbol);
  if (fields.event === 'snapshot') broadcast('snapshot', [...prices.values()]);
  else if (fields.event === 'change') broadcast('change', { changed: changed.map(({ ticker }) => ticker), removed });
  tell(true);
}

/** Browsers show old prices as old. */
function tell(live) {
  if (live !== isLive) broadcast('live', live);
  isLive = live;
}

function broadcast(event, data) {
  const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  for (const browser of browsers) {
    browser.write(text);
    // One that does not keep up comes back by itself, and gets a snapshot.
    if (browser.writableLength > unsentBytesMax) browser.destroy();
  }
}

createServer((request, response) => {
  if (request.url === '/prices') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(`event: snapshot\ndata: ${JSON.stringify([...prices.values()])}\n\n`);
    response.write(`event: live\ndata: ${isLive}\n\n`);
    browsers.add(response);
    response.on('close', () => browsers.delete(response));
  } else if (request.url === '/') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  } else {
    response.writeHead(404).end();
  }
}).listen(Number(PORT), '127.0.0.1', function listening() {
  process.stdout.write(`http://127.0.0.1:${this.address().port}/\n`);
});
void follow();
