import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { Certificate } from './http-server.ts';
import { TicketKeys, type TicketKeysParts } from './ticket-keys.ts';

/** The configured files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const everyMs = 60_000;

/** The certificate and its key. Throws the system's error for a file that cannot be read. */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

/**
 * Looks once a minute whether the files hold something else, and serves a pair that fits together. Anything else is
 * left alone, and logged if it is still so at the next look: files are written one after the other.
 *
 * @param current their contents when the listener was made
 */
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  { clock, log }: { readonly clock: Pick<Clock, 'every'>; readonly log: Log },
  renewed: (certificate: Certificate) => void,
): Timer {
  let served = current;
  let lastError: string | undefined;
  let reported: string | undefined;

  async function look(): Promise<void> {
    const found = await readCertificate(files);
    if (found.cert !== served.cert || found.key !== served.key) take(found);
    lastError = reported = undefined;
  }

  function take(found: Certificate): void {
    // Throws where the two do not fit together.
    createSecureContext(found);
    renewed(found);
    served = found;
    log.info({ validUntil: new X509Certificate(found.cert).validToDate }, 'the renewed certificate is served');
  }

  function failed(error: Error): void {
    if (error.message === lastError && error.message !== reported) {
      log.warn({ err: error }, 'the files of the certificate cannot be used; the one before stays in use');
      reported = error.message;
    }
    lastError = error.message;
  }

  return clock.every(everyMs, () => void look().catch(failed));
}

/**
 * Reads the certificate that the public listener serves, which is renewed from its files, with the keys of its session
 * tickets. Rejects with the system's error for a file that cannot be read.
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
