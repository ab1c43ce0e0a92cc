import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Recording } from './answers.ts';

// The limit on this runtime: `node:http` writing the same head and the same bytes, with a look-up of the
// path and no other logic. One port per coding, so that not even a header is looked at.
const { answers } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Recording;
const smallBytes = 4096;

function listen(gzip: boolean): Promise<string> {
  const ready = new Map(
    answers
      .filter((answer) => answer.gzip === gzip)
      .map(({ path, headers, bodyBase64 }) => {
        const body = Buffer.from(bodyBase64, 'base64');
        // What is small is written faster as a string, compressed or not; what is large as bytes.
        return [path, { headers: [...headers], body: body.length <= smallBytes ? body.toString('latin1') : body }];
      }),
  );
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const { headers, body } = ready.get(request.url!)!;
    response.writeHead(200, headers);
    if (typeof body === 'string') response.end(body, 'latin1');
    else response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

process.stdout.write(`${JSON.stringify({ identity: await listen(false), gzip: await listen(true) })}\n`);
