import { X509Certificate } from 'node:crypto';
import type { EpochMs, Timer } from '../clock.ts';
import { type CertificateFiles, readCertificate, watchCertificate } from './certificate.ts';
import type { Certificate } from './http-server.ts';
import { TicketKeys, type TicketKeysParts } from './ticket-keys.ts';

/**
 * Reads the certificate that the public listener serves, which is renewed from its files, with the keys of its session tickets.
 * Rejects with the system's error for a file that cannot be read.
 */
export async function servedCertificate(files: CertificateFiles, parts: TicketKeysParts) {
  const first = await readCertificate(files);
  let current = first;
  let keys: TicketKeys | undefined;
  let watch: Timer | undefined;
  return {
    first,
    expiresAt: () => new X509Certificate(current.cert).validToDate.getTime() as EpochMs,
    /** @param serve takes over the certificate, now with ticket keys, and again whenever either changes */
    async start(serve: (certificate: Certificate) => void): Promise<void> {
      const made = new TicketKeys(parts, () => serve(withKeys()));
      const withKeys = () => ({ ...current, ticketKeys: made.for(current.key) });
      keys = made;
      await made.start();
      watch = watchCertificate(files, current, parts, (renewed) => {
        current = renewed;
        serve(withKeys());
      });
    },
    stop(): void {
      watch?.cancel();
      keys?.stop();
    },
  };
}
