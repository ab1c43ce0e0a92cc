import type { WebSockets } from './websocket.ts';

const nestingDepth = 100_000;

/** Sends every connection one message that no client should trip over. The kinds are those of the fault `garbage`. */
export function garbage(kind: string, webSockets: WebSockets): void {
  const bytes = garbageBytes(kind);
  webSockets.each((connection, nowMs) => {
    if (kind === 'frame') connection.sendRaw(bytes);
    else connection.send(bytes, nowMs, kind === 'binary');
  });
}

/** Sends every connection one valid message of exactly this many bytes. */
export function oversized(bytes: number, webSockets: WebSockets): void {
  const message = Buffer.alloc(bytes, ' ');
  message.write('{"channel":"heartbeat"');
  message.write('}', bytes - 1);
  webSockets.each((connection, nowMs) => connection.send(message, nowMs));
}

function garbageBytes(kind: string): Buffer {
  switch (kind) {
    case 'binary':
      return Buffer.from([0x00, 0x9f, 0x92, 0x96, 0xff]);
    case 'utf8':
      return Buffer.from([...Buffer.from('{"channel":"'), 0xc3, 0x28, ...Buffer.from('"}')]);
    case 'nested':
      return Buffer.from(`{"channel":"ticker","data":${'['.repeat(nestingDepth)}${']'.repeat(nestingDepth)}}`);
    case 'channel':
      return Buffer.from('{"channel":"weather","type":"update","data":[{"symbol":"BTC/EUR","sky":"clear"}]}');
    case 'symbol':
      return Buffer.from(
        '{"channel":"ticker","type":"update","data":[{"symbol":"NOPE/EUR","bid":1.0,"bid_qty":1.0,"ask":1.1,"ask_qty":1.0,"last":1.0,"volume":1.0,"vwap":1.0,"low":1.0,"high":1.1,"change":0.0,"change_pct":0.00,"trades":1}]}',
      );
    case 'frame':
      // All reserved bits set and an operation code that does not exist (RFC 6455, 5.2).
      return Buffer.from([0xff, 0x03, 0x61, 0x62, 0x63]);
    default:
      return Buffer.from('{"channel":"ticker","type":"update","data":[{"symbol":"BTC/EUR","bid":');
  }
}
