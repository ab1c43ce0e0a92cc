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

/** Bodies up to this many bytes are kept as text, compressed ones too: written together with the head, in one piece. */
const smallLength = 4096;

const tagSuffix: Record<ContentEncoding, string> = { identity: '', gzip: '-g', br: '-b', zstd: '-z' };

/** Of a gzip coding that was put together from pieces: other bytes than those of compressing the whole. */
const piecedSuffix = '-p';

/** 132 bits: no two texts that ever meet share one. */
const tagLength = 22;

/** What stands for a text in entity tags: the same in every process, and after a restart. */
export function contentTag(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, tagLength);
}

/** How a page of a text comes to what it cannot make itself as cheaply. */
export interface PageMakings {
  /** Stands for the text as `contentTag` does, which it is when left out. */
  readonly tag?: string | undefined;
  /** Puts the gzip coding of the text's bytes together from pieces that are ready. */
  readonly gzip?: ((body: Buffer) => Buffer) | undefined;
}

/**
 * One version of a resource's body. A coding is made when it is first asked for and then kept, so a
 * coding nobody asks for costs nothing and one that many ask for is made once.
 */
export class Page {
  readonly #text: string;
  readonly #tag: string;
  readonly #gzip: PageMakings['gzip'];
  readonly #ready = new Map<ContentEncoding, Representation>();

  /** `text` is ASCII. */
  constructor(text: string, { tag = contentTag(text), gzip }: PageMakings = {}) {
    this.#text = text;
    this.#tag = tag;
    this.#gzip = gzip;
  }

  /** The entity tag without preparing the body: enough to answer a conditional request. */
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

/**
 * The newest version of a resource. The page, its codings and its entity tags stay for as long as the
 * text reads the same, whatever happened in between.
 */
export class VersionedPage {
  #text: string | undefined;
  #page: Page | undefined;

  /** The page of this text: the one from before unless the text is another. */
  with(text: string, makings?: () => PageMakings): Page {
    if (this.#page === undefined || text !== this.#text) {
      this.#text = text;
      this.#page = new Page(text, makings?.());
    }
    return this.#page;
  }
}
