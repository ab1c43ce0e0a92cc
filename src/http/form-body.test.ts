import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { readForm } from './form-body.ts';

function begin() {
  const [request, clock] = [new PassThrough(), new FakeClock()];
  return { request, clock, form: readForm(request as unknown as IncomingMessage, clock) };
}

describe('the form of a request', () => {
  test('is read whole, however it is cut', async () => {
    const { request, form } = begin();
    request.write('kind=mail&tar');
    request.end('get=a%40example.net');
    assert.equal(await form, 'kind=mail&target=a%40example.net');
  });

  test('is waited for five seconds, and no longer once its client is gone', async () => {
    const { request, clock, form } = begin();
    request.write('kind=');
    await clock.advance(5_000);
    assert.equal(await form, undefined);
    const gone = begin();
    gone.request.destroy();
    await new Promise((resolve) => gone.request.on('close', resolve));
    assert.equal(gone.clock.pendingTimers, 0);
  });
});
