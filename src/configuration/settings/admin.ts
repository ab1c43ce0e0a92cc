import { approvalKinds } from '../../operator/approval-kind.ts';
import { personalRoles } from '../../operator/role.ts';
import * as kind from '../kinds.ts';
import { duration, list, map, oneOf, optional, section, setting, subsection, text, wholeNumber } from '../kinds.ts';

export const admin = section('The private listener.', {
  host: setting(text(kind.host, { default: '127.0.0.1' }), {
    description: 'Address of the private listener.',
    security: 'Health, metrics and price derivations need no sign-in: keep it on loopback or a network only you reach.',
  }),
  port: setting(
    wholeNumber(9_090, [0, 65_535]),
    'Port for health, metrics, management API and console; 0 takes any free one.',
  ),
  hosts: setting(list(text(kind.host), { default: [] }), {
    description:
      'Further names of the private listener, besides loopback, `admin.host` and the address a request arrived on; any other `Host` is refused, but on `/livez` and `/readyz`.',
    security: 'Keeps out web pages that point a name at it (DNS rebinding).',
    example: ['admin.example.com'],
  }),
  token: optional(text(kind.operatorToken, { secret: true }), {
    description: 'A token for management API and console; the audit log calls it `configuration`.',
    whenAbsent: 'only tokens of `mdapi admin token` are valid',
    security: 'It makes keys and announces maintenance: use a long random text.',
    example: 'a-long-random-text-of-your-own',
  }),
  sessionFor: setting(
    duration('12h', ['1m', '30d']),
    'How long a sign-in to the console lasts, at most until the process ends.',
  ),
  oidc: subsection({
    issuer: optional(text(kind.issuer), {
      description: 'Issuer URL of the OpenID Connect provider for the console.',
      whenAbsent: 'sign-in by operator token only',
      example: 'https://login.example.com',
    }),
    clientId: optional(text(kind.word), {
      description: 'Client id at the provider; set together with the secret.',
      whenAbsent: 'no provider',
      example: 'mdapi',
    }),
    clientSecret: optional(text(kind.word, { secret: true }), {
      description: 'Secret of the client, sent as HTTP Basic credentials.',
      whenAbsent: 'no provider',
      example: 'the-secret-of-the-client',
    }),
    scope: setting(
      text(kind.scope, { default: 'openid email profile' }),
      'Scopes to ask for, with any that the roles claim needs.',
    ),
    rolesClaim: setting(
      text(kind.word, { default: 'roles' }),
      'Claim of the ID token or UserInfo with one or several values, such as `groups`, or the path to it, as `realm_access.roles`. A claim of that very name comes first.',
    ),
    roles: setting(map(text(kind.word), oneOf([...personalRoles], 'read-only')), {
      description: 'Values of that claim and their roles; of several the highest counts.',
      security: 'A role holds until the session ends (`admin.oidc.sessionFor`). Whoever has none is refused.',
      example: { 'market-data-admins': 'admin' },
    }),
    sessionFor: setting(duration('1h', ['1m', '30d']), {
      description:
        'How long such a sign-in lasts, at most `admin.sessionFor`; then the provider is asked anew, which costs whoever is still signed in there one click.',
      security: 'Whom the provider no longer lets in, or gives another role, keeps this session until then.',
    }),
  }),
  approvals: setting(list(oneOf([...approvalKinds]), { default: [] }), {
    description:
      'Changes that one person proposes and another one confirms: `terms` (fee, margin, precision, rounding), `delist`, `rates` (accepting and releasing conversion rates). See [four eyes](operators/console.md#four-eyes).',
    security: 'Whoever can make operator tokens or write to the database can be two people.',
    example: ['terms', 'delist', 'rates'],
  }),
  auditFor: setting(duration('400d', ['1d', '3650d']), 'How long the audit log keeps an entry.'),
});
