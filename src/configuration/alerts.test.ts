import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromYaml, load, refusal } from './configuration.testing.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const refusedFor = (destination: object) =>
  refusal({ env: { MDAPI_ALERTS_DESTINATIONS: JSON.stringify([{ name: 'ops', ...destination }]) } }).join('\n');

test('a destination gets every kind of alert, over https, unless it says otherwise', () => {
  const { alerts } = fromYaml(`
mail: { smtp: "smtp://127.0.0.1", from: api@example.com }
alerts:
  destinations:
    - { name: ops, url: "https://ops.example.com/hook", secret: ${secret} }
    - { name: duty, kind: pagerduty, secret: R0UTE, events: [source] }
    - { name: team, kind: mail, to: "Team <team@example.com>" }
    - { name: chat, kind: telegram, url: "http://127.0.0.1/botT0P/sendMessage", allowHttp: true, chat: "-100" }`);
  assert.deepEqual([alerts.raiseAfterMs, alerts.endAfterMs], [15_000, 120_000]);
  assert.deepEqual(
    alerts.destinations.map(({ kind, url, to, events }) => [kind, url ?? to, events.length]),
    [
      ['webhook', 'https://ops.example.com/hook', 8],
      ['pagerduty', 'https://events.pagerduty.com/v2/enqueue', 1],
      ['mail', 'team@example.com', 8],
      ['telegram', 'http://127.0.0.1/botT0P/sendMessage', 8],
    ],
  );
});

test('destinations can come from a file that a variable names, as JSON', () => {
  const text = JSON.stringify([{ name: 'ops', url: 'https://ops.example.com/T0P', secret }]);
  const env = { MDAPI_ALERTS_DESTINATIONS_FILE: '/run/alerts' };
  assert.equal(load({ env, files: { '/run/alerts': text } }).alerts.destinations[0]?.secret, secret);
});

test('a destination that lacks something, or has what means nothing, is refused in words and without its secrets', () => {
  const url = 'https://ops.example.com/T0P';
  for (const [destination, words] of [
    [{ url }, 'alerts.destinations[0]: kind "webhook" needs secret'],
    [{ kind: 'slack' }, 'kind "slack" needs url'],
    [{ kind: 'telegram', url }, 'kind "telegram" needs chat'],
    [{ kind: 'pagerduty' }, 'kind "pagerduty" needs secret'],
    [{ kind: 'mail', to: 'a@example.com' }, 'needs mail.smtp as well'],
    [{ kind: 'slack', url, chat: '1' }, 'alerts.destinations[0].chat: has no meaning with kind "slack"'],
    [{ kind: 'slack', url: 'http://ops.example.com/T0P' }, 'use https://, or set allowHttp: true'],
    [{ url, secret: 'T0P-secret' }, 'the value (not shown) is not whsec_ and 24 to 64 bytes in base64'],
    [{ kind: 'slack', url: 'T0P' }, 'the value (not shown) is not an http:// or https:// URL'],
    [{ kind: 'slak', url }, 'did you mean "slack"?'],
    [{ kind: 'slack', url, events: ['sources'] }, 'alerts.destinations[0].events'],
    [{ kind: 'slack', url, name: 'Ops' }, 'alerts.destinations[0].name'],
    [{ kind: 'slack', link: url }, 'unknown key'],
  ] as const) {
    const refused = refusedFor(destination);
    assert.ok(refused.includes(words), `${refused} says ${words}`);
    assert.ok(!refused.includes('T0P'), refused);
  }
});

test('two destinations of one name are refused', () => {
  const one = { name: 'ops', kind: 'slack', url: 'https://ops.example.com/' };
  const lines = refusal({ env: { MDAPI_ALERTS_DESTINATIONS: JSON.stringify([one, one]) } });
  assert.match(lines.join(), /alerts\.destinations\[1\]: there is another destination "ops"/);
});

test('alerts are sent again after four hours, and to nobody else, unless it says otherwise', () => {
  const { alerts } = fromYaml('');
  assert.deepEqual([alerts.repeatAfterMs, alerts.escalateAfterMs, alerts.escalateTo], [14_400_000, undefined, []]);
  assert.equal(fromYaml('alerts: { repeatAfter: 0s }').alerts.repeatAfterMs, 0);
  const second = { kind: 'slack', url: 'https://ops.example.com/' } as const;
  const destinations = JSON.stringify([
    { ...second, name: 'ops' },
    { ...second, name: 'duty' },
  ]);
  const env = { MDAPI_ALERTS_DESTINATIONS: destinations };
  const escalated = load({ env: { ...env, MDAPI_ALERTS_ESCALATE_TO: 'duty' } }).alerts;
  assert.deepEqual([escalated.escalateAfterMs, escalated.escalateTo], [1_800_000, ['duty']]);
  const refused = (to: string) => refusal({ env: { ...env, MDAPI_ALERTS_ESCALATE_TO: to } }).join();
  assert.match(refused('duti'), /alerts\.escalate\.to: there is no destination "duti"/);
  assert.match(refused('duty,ops'), /names every destination/);
});

test('a heartbeat is off until it has a URL, which is a secret that a file can hold', () => {
  assert.equal(fromYaml('').alerts.heartbeat, undefined);
  const url = 'https://hc-ping.example.com/T0P';
  const env = { MDAPI_ALERTS_HEARTBEAT_URL_FILE: '/run/heartbeat' };
  const { heartbeat } = load({ env, files: { '/run/heartbeat': `${url}\n` } }).alerts;
  assert.deepEqual(heartbeat, { url, everyMs: 60_000, method: 'GET', unreadyForMs: 120_000 });
  const unencrypted = 'http://kuma.example.com/T0P';
  const lines = refusal({ env: { MDAPI_ALERTS_HEARTBEAT_URL: unencrypted } }).join();
  assert.match(lines, /alerts\.heartbeat\.url: is not encrypted/);
  for (const wrong of [unencrypted, 'T0P'])
    assert.ok(
      !refusal({ env: { MDAPI_ALERTS_HEARTBEAT_URL: wrong } })
        .join()
        .includes('T0P'),
    );
  const allowed = { MDAPI_ALERTS_HEARTBEAT_URL: unencrypted, MDAPI_ALERTS_HEARTBEAT_ALLOW_HTTP: 'true' };
  assert.equal(load({ env: allowed }).alerts.heartbeat?.url, unencrypted);
});
