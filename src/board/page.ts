import { hash } from 'node:crypto';
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

/** Bodies up to this many bytes are kept as text, compressed ones too: the head and they are written in one piece. */
const smallLength = 4096;

const tagSuffix: Record<ContentEncoding, string> = { identity: '', gzip: '-g', br: '-b', zstd: '-z' };

/** For a gzip coding joined from pieces: its bytes differ from those of compressing the whole. */
const piecedSuffix = '-p';

/** 132 bits make a collision of two texts practically impossible. */
const tagLength = 22;

/** Identifies a text in entity tags: the same in every process and after a restart. */
export function contentTag(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, tagLength);
}

/** Parts that the owner of a text can give its page more cheaply than the page can make them. */
export interface PreparedParts {
  /** Identifies the text; `contentTag` of it by default. */
  readonly tag?: string;
  /** Joins the gzip coding of the text's bytes from pieces. */
  readonly gzip?: (body: Buffer) => Buffer;
}

/** One version of a resource's body. Each coding is made on first use and then kept. */
export class Page {
  readonly #text: string;
  readonly #tag: string;
  readonly #gzip: PreparedParts['gzip'] | undefined;
  readonly #ready = new Map<ContentEncoding, Representation>();

  /** `text` is ASCII. */
  constructor(text: string, { tag = contentTag(text), gzip }: PreparedParts = {}) {
    this.#text = text;
    this.#tag = tag;
    this.#gzip = gzip;
  }

  /** The entity tag alone, without preparing the body: enough for a conditional request. */
  entityTag(encoding: ContentEncoding): string {
    const known = this.#ready.get(encoding)?.entityTag;
    if (known !== undefined) return known;
    const isPieced = encoding === 'gzip' && this.#gzip !== undefined;
    return `"${this.#tag}${isPieced ? piecedSuffix : tagSuffix[encoding]}"`;
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
    const coded = encoding === 'gzip' && this.#gzip !== undefined ? this.#gzip(bytes) : compress(bytes, encoding);
    return coded.length <= smallLength ? coded.toString('latin1') : coded;
  }

  #bytes(): Buffer {
    const identity = this.#ready.get('identity')?.body;
    return identity instanceof Buffer ? identity : Buffer.from(this.#text, 'latin1');
  }
}

/** The newest version of a resource. The page, its codings and its entity tags stay as long as the text is the same. */
export class VersionedPage {
  #text: string | undefined;
  #page: Page | undefined;

  /** The page of this text: the previous one if the text has not changed. */
  with(text: string, prepare?: () => PreparedParts): Page {
    if (this.#page === undefined || text !== this.#text) {
      this.#text = text;
      this.#page = new Page(text, prepare?.());
    }
    return this.#page;
  }
}
