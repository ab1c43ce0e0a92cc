import { X509Certificate } from 'node:crypto';
import type { EpochMs, Timer } from '../clock.ts';
import { type CertificateFiles, readCertificate, watchCertificate } from './certificate.ts';
import type { Certificate } from './http-server.ts';
import { TicketKeys, type TicketKeysParts } from './ticket-keys.ts';

/** The certificate that the public listener serves, renewed from its files, with the keys of its session tickets. */
export class ServedCertificate {
  readonly #files: CertificateFiles;
  readonly #parts: TicketKeysParts;
  #current: Certificate;
  #keys: TicketKeys | undefined;
  #watch: Timer | undefined;

  private constructor(files: CertificateFiles, parts: TicketKeysParts, current: Certificate) {
    this.#files = files;
    this.#parts = parts;
    this.#current = current;
  }

  /** Rejects with the system's error for a file that cannot be read. */
  static async read(files: CertificateFiles, parts: TicketKeysParts): Promise<ServedCertificate> {
    return new ServedCertificate(files, parts, await readCertificate(files));
  }

  get current(): Certificate {
    return this.#current;
  }

  get expiresAt(): EpochMs {
    return new X509Certificate(this.#current.cert).validToDate.getTime() as EpochMs;
  }

  /** @param serve takes over the certificate, now with ticket keys, and again whenever either changes */
  async start(serve: (certificate: Certificate) => void): Promise<void> {
    const keys = new TicketKeys(this.#parts, () => serve(withKeys()));
    const withKeys = () => ({ ...this.#current, ticketKeys: keys.for(this.#current.key) });
    this.#keys = keys;
    await keys.start();
    this.#watch = watchCertificate(this.#files, this.#current, this.#parts, (renewed) => {
      this.#current = renewed;
      serve(withKeys());
    });
  }

  stop(): void {
    this.#watch?.cancel();
    this.#keys?.stop();
  }
}
