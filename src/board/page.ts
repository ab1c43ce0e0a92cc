import { type ContentEncoding, compress } from './encoding.ts';

/** One representation of a resource, ready to be written. */
export interface Representation {
  /** Latin-1 text when small, which is the fastest to write then; bytes otherwise. */
  readonly body: string | Buffer;
  readonly byteLength: number;
  /** A strong entity tag in quotes: it names these bytes and no others (RFC 9110 section 8.8.3). */
  readonly entityTag: string;
  readonly encoding: ContentEncoding;
}

/** Bodies up to this many bytes are kept as text, compressed ones too: written together with the head, in one piece. */
const smallLength = 4096;

const tagSuffix: Record<ContentEncoding, string> = { identity: '', gzip: '-g', br: '-b', zstd: '-z' };

/** A cheaper way to the gzip coding of a text and its bytes; `undefined` where there is none just now. */
export type GzipShortcut = (text: string, body: Buffer) => Buffer | undefined;

/**
 * One version of a resource's body. A coding is made when it is first asked for and then kept, so a
 * coding nobody asks for costs nothing and one that many ask for is made once.
 */
export class Page {
  readonly #text: string;
  readonly #tagStem: string;
  readonly #gzip: GzipShortcut;
  readonly #ready = new Map<ContentEncoding, Representation>();

  /** `text` is ASCII. `tagStem` is unique to this resource, version and process run. */
  constructor(text: string, tagStem: string, gzip: GzipShortcut = () => undefined) {
    this.#text = text;
    this.#tagStem = tagStem;
    this.#gzip = gzip;
  }

  /** The entity tag without preparing the body: enough to answer a conditional request. */
  entityTag(encoding: ContentEncoding): string {
    return this.#ready.get(encoding)?.entityTag ?? `"${this.#tagStem}${tagSuffix[encoding]}"`;
  }

  as(encoding: ContentEncoding): Representation {
    const ready = this.#ready.get(encoding);
    if (ready !== undefined) return ready;
    const body = this.#bodyIn(encoding);
    const made = { body, byteLength: body.length, entityTag: this.entityTag(encoding), encoding };
    this.#ready.set(encoding, made);
    return made;
  }

  #bodyIn(encoding: ContentEncoding): string | Buffer {
    if (encoding === 'identity') return this.#text.length <= smallLength ? this.#text : this.#bytes();
    const bytes = this.#bytes();
    const coded = (encoding === 'gzip' ? this.#gzip(this.#text, bytes) : undefined) ?? compress(bytes, encoding);
    return coded.length <= smallLength ? coded.toString('latin1') : coded;
  }

  #bytes(): Buffer {
    const identity = this.#ready.get('identity')?.body;
    return identity instanceof Buffer ? identity : Buffer.from(this.#text, 'latin1');
  }
}

/**
 * The newest version of a resource. The page, its codings and its entity tags stay for as long as the
 * text reads the same, whatever happened in between.
 */
export class VersionedPage {
  readonly #tagPrefix: string;
  #version = 0;
  #text: string | undefined;
  #page: Page | undefined;

  /** `tagPrefix` is unique to this resource and process run. */
  constructor(tagPrefix: string) {
    this.#tagPrefix = tagPrefix;
  }

  /** The page of this text: the one from before unless the text is another. */
  with(text: string, gzip?: GzipShortcut): Page {
    if (this.#page === undefined || text !== this.#text) {
      this.#text = text;
      this.#page = new Page(text, `${this.#tagPrefix}-${(++this.#version).toString(36)}`, gzip);
    }
    return this.#page;
  }
}
