import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes, errorTable, errorType, isInContract, isRetryable, problemBody, slugOf } from './errors.ts';

const errorsUrl = 'https://api.example.com/errors';

/** The contract's error table, then the codes for what it cannot express. */
const expectedRows = `
400 INVALID_PARAMETER Invalid parameter
401 MISSING_API_KEY Missing API key
401 INVALID_API_KEY Invalid API key
404 UNKNOWN_SYMBOL Unknown symbol
404 NOT_FOUND Not found
429 RATE_LIMIT_EXCEEDED Rate limit exceeded
503 MARKET_DATA_UNAVAILABLE Market data unavailable
503 SERVICE_MAINTENANCE Service maintenance
400 BAD_REQUEST Bad request
405 METHOD_NOT_ALLOWED Method not allowed
408 REQUEST_TIMEOUT Request timeout
417 EXPECTATION_FAILED Expectation failed
431 REQUEST_HEADER_FIELDS_TOO_LARGE Request header fields too large
500 INTERNAL_ERROR Internal error
503 SERVICE_OVERLOADED Service overloaded`;

test('every error has the status and title of the contract, and no other error exists', () => {
  const rows = errorCodes.map((code) => `${errorTable[code].status} ${code} ${errorTable[code].title}`);
  assert.deepEqual(rows, expectedRows.trim().split('\n'));
});

test('the first eight errors are those of the contract and the others are marked as ours', () => {
  assert.deepEqual(errorCodes.filter(isInContract), errorCodes.slice(0, 8));
});

test('the type of an error is the errors address and its name in kebab case', () => {
  for (const code of errorCodes) assert.equal(errorType(errorsUrl, code), `${errorsUrl}/${slugOf(code)}`);
});

test('every error that carries Retry-After can be retried, and no refusal of the request itself can', () => {
  const retryable = errorCodes.filter(isRetryable);
  assert.deepEqual(retryable, [
    'RATE_LIMIT_EXCEEDED',
    'MARKET_DATA_UNAVAILABLE',
    'SERVICE_MAINTENANCE',
    'REQUEST_TIMEOUT',
    'INTERNAL_ERROR',
    'SERVICE_OVERLOADED',
  ]);
});

test('every error page has a cause, an action and advice on retries, in whole sentences', () => {
  for (const code of errorCodes) {
    const { cause, action, retry, exampleDetail } = errorTable[code];
    for (const prose of [cause, action, retry, exampleDetail]) assert.match(prose, /^[A-Z].+\.$/, code);
    assert.equal(/^(Yes|Often)/.test(retry), isRetryable(code), code);
  }
});

test('a problem has exactly the six members of the contract in their order', () => {
  for (const code of errorCodes) {
    const body = problemBody({ code, detail: 'Why.', requestId: 'abcdef0123456789', errorsUrl });
    const { title, status } = errorTable[code];
    const expected = {
      type: `${errorsUrl}/${slugOf(code)}`,
      title,
      status,
      code,
      detail: 'Why.',
      requestId: 'abcdef0123456789',
    };
    assert.equal(body, JSON.stringify(expected));
  }
});

test('quotes, backslashes, line ends and other scripts in a detail stay valid JSON', () => {
  for (const detail of ['a "quoted" word', 'back\\slash', 'line\nend\u0000', 'Ω€\u2028', '\ud800', '$1 $& `x`']) {
    const body = problemBody({ code: 'NOT_FOUND', detail, requestId: 'r"1', errorsUrl });
    assert.deepEqual([JSON.parse(body).detail, JSON.parse(body).requestId], [detail, 'r"1']);
  }
});

test('two error addresses in one process do not mix', () => {
  const of = (url: string) =>
    JSON.parse(problemBody({ code: 'NOT_FOUND', detail: 'x', requestId: 'y', errorsUrl: url })).type;
  assert.deepEqual(
    [of('http://one/e'), of('http://two/e'), of('http://one/e')],
    ['http://one/e/not-found', 'http://two/e/not-found', 'http://one/e/not-found'],
  );
});
