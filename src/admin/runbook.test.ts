import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { conditions } from '../conditions/list.ts';
import { asEpochMs } from '../ground/clock.ts';
import { alertBody } from '../notices/alert-message.ts';
import { addRunbook } from './runbook.ts';

test('an alert links to the section of its condition, which the private listener serves without a script', async () => {
  const app = Fastify();
  addRunbook(app);
  const { statusCode, headers, body } = await app.inject('/runbook');
  assert.equal(statusCode, 200);
  assert.match(String(headers['content-security-policy']), /default-src 'none'/);
  assert.doesNotMatch(body, /<script/);
  const places = { service: 'https://api.example.com', console: 'https://admin.example.com' };
  for (const [name, { event, severity }] of Object.entries(conditions)) {
    const told = { id: 'alr_1', name, subject: event, event, severity, summary: 'x', raisedAt: asEpochMs(0) };
    const { data } = alertBody({ kind: 'webhook', secret: undefined, chat: undefined }, told, places) as {
      data: { runbookUrl: string };
    };
    const [page, section] = data.runbookUrl.split('#');
    assert.equal(page, 'https://admin.example.com/runbook');
    assert.match(body, new RegExp(`<h3 id="${section}">${name}</h3>`), name);
  }
});
