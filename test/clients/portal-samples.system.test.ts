import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openApiDocument } from '../../src/contract/openapi.ts';
import type { Operation } from '../../src/contract/openapi-operations.ts';
import { version } from '../../src/ground/version.ts';
import { requestSamples } from '../../src/portal/samples.ts';
import { root } from '../repository/files.ts';
import { pythonEnvironment, pythonNeeds, pythonTools } from '../support/python.ts';

const refusal = {
  type: 'https://api.example.com/errors/rate-limit-exceeded',
  title: 'Too many requests',
  status: 429,
  code: 'RATE_LIMIT_EXCEEDED',
  detail: 'This minute is used up.',
  requestId: 'request-0123456789',
};

describe('the samples of the portal on a bad day', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-samples-'));
  const server = createServer((_request, response) => {
    response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '4321' });
    response.end(JSON.stringify(refusal));
  });
  let baseUrl: string;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** What a sample prints, on both outputs, and how it ends. */
  async function printed(language: string, text: string, name: string): Promise<string> {
    const client = pathToFileURL(join(root, 'client/src/index.ts')).href;
    const file = join(folder, `${name}.${language === 'ts' ? 'mts' : language}`);
    writeFileSync(file, text.replace(/'market-data-client'/, JSON.stringify(client)));
    const python = language === 'python' ? pythonTools().pythons.at(-1)!.python : '';
    const program = { sh: 'sh', python, ts: process.execPath }[language]!;
    return await new Promise((resolve) => {
      const env = pythonEnvironment({ API_KEY: 'mdk_0123456789', PYTHONPATH: join(root, 'client-python/src') });
      execFile(program, [file], { env }, (error, stdout, stderr) =>
        resolve(`${stdout}${stderr}${error === null ? '' : ` ended with ${error.code}`}`),
      );
    });
  }

  for (const path of ['/v1/ticker', '/openapi/v1.json'] as const) {
    for (const language of ['sh', 'ts', 'python']) {
      test(
        `${path} in ${language} prints the code and when to come back, and ends as it should`,
        language === 'python' ? pythonNeeds : {},
        async () => {
          const urls = { baseUrl, errorsUrl: `${baseUrl}/errors` };
          const { get } = openApiDocument(urls).paths[path] as unknown as { get: Operation };
          const { text } = requestSamples({ baseUrl, version }, path, get).find(
            (sample) => sample.language === language,
          )!;
          const output = await printed(language, text, path.replaceAll(/\W/g, '-'));
          assert.match(output, /RATE_LIMIT_EXCEEDED/);
          assert.match(output, /4321/);
          assert.doesNotMatch(output, /Traceback|node:internal|ended with/);
        },
      );
    }
  }
});
