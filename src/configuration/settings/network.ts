import * as kind from '../kinds.ts';
import { list, optional, section, text } from '../kinds.ts';

export const network = section('The way out of this machine, to exchanges, rate sources and other services.', {
  proxy: optional(text(kind.proxyUrl, { secret: true }), {
    description:
      'Proxy that HTTP and HTTPS requests and live connections go through; those to https:// and wss:// addresses in a tunnel. Never for this machine itself.',
    whenAbsent: 'the variables `HTTPS_PROXY` and `HTTP_PROXY` decide',
    security: 'The URL can hold a password; it is never shown.',
    example: 'http://proxy.example.com:3128',
  }),
  noProxy: optional(list(text(kind.directHost)), {
    description: 'Hosts reached without the proxy. A name covers those below it.',
    whenAbsent: 'the variable `NO_PROXY` decides',
    example: ['10.0.0.5', 'internal.example.com'],
  }),
});
