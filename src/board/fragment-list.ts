import { deflatePiece, joinGzipPieces } from './encoding.ts';
import { contentTag, type PreparedParts } from './page.ts';

/** A member of the list as JSON text; `undefined` leaves it out. */
export interface Fragment {
  readonly fragment: string | undefined;
}

/** A block's rendered members. Immutable, so that a page keeps its own contents when the block changes. */
interface BlockContent {
  readonly text: string;
  readonly tag: string;
  /** Compressed on first use. */
  deflated: Buffer | undefined;
}

interface Block {
  readonly members: readonly Fragment[];
  /** `undefined`: a member changed since it was rendered. */
  content: BlockContent | undefined;
}

const membersPerBlock = 16;

/** Compressing block by block pays only while few blocks change between two reads. */
const changedBlocksMax = 8;

/**
 * A JSON array under one name, `{"tickers":[…]}`, kept in blocks of members. A changed member costs its block in the
 * text, the tag and the gzip coding, not the whole list: with a live feed nearly every read finds a change.
 */
export class FragmentList {
  readonly #blocks: readonly Block[];
  readonly #opening: string;
  readonly #pieces: { readonly opening: Buffer; readonly comma: Buffer; readonly closing: Buffer };
  #text: string | undefined;
  #changedBlocks: number;

  /** A member's `fragment` may change later: call `changed` then. */
  constructor(name: string, members: readonly Fragment[]) {
    this.#opening = `{"${name}":[`;
    this.#pieces = { opening: deflatePiece(this.#opening), comma: deflatePiece(','), closing: deflatePiece(']}') };
    this.#blocks = Array.from({ length: Math.ceil(members.length / membersPerBlock) }, (_, index) => {
      const start = index * membersPerBlock;
      return { members: members.slice(start, start + membersPerBlock), content: undefined };
    });
    this.#changedBlocks = this.#blocks.length;
  }

  /** The fragment of the member at this index has changed. */
  changed(index: number): void {
    const block = this.#blocks[Math.floor(index / membersPerBlock)];
    if (block === undefined) return;
    if (block.content !== undefined) this.#changedBlocks++;
    block.content = undefined;
    this.#text = undefined;
  }

  /** The whole list as text; `undefined` when it has no member. */
  text(): string | undefined {
    if (this.#text !== undefined) return this.#text;
    const texts = this.#contents().map(({ text }) => text);
    if (texts.length === 0) return undefined;
    this.#text = `${this.#opening}${texts.join(',')}]}`;
    return this.#text;
  }

  /**
   * The parts of a page of the current text that the blocks give cheaply: the tag, and the gzip coding when few blocks
   * have changed since the last call. Call it once for each text.
   */
  prepare(): PreparedParts {
    const changedBlocks = this.#changedBlocks;
    this.#changedBlocks = 0;
    const contents = this.#contents();
    const tag = contentTag(contents.map((content) => content.tag).join());
    return changedBlocks > changedBlocksMax ? { tag } : { tag, gzip: (body) => this.#gzip(contents, body) };
  }

  #gzip(contents: readonly BlockContent[], body: Buffer): Buffer {
    const { opening, comma, closing } = this.#pieces;
    const pieces = contents.flatMap((content, index) => {
      content.deflated ??= deflatePiece(content.text);
      return [index === 0 ? opening : comma, content.deflated];
    });
    return joinGzipPieces([...pieces, closing], body);
  }

  /** The contents of every block that has a member to show. */
  #contents(): readonly BlockContent[] {
    const contents = this.#blocks.map((block) => (block.content ??= contentOf(block.members)));
    return contents.filter(({ text }) => text !== '');
  }
}

function contentOf(members: readonly Fragment[]): BlockContent {
  const text = members.flatMap(({ fragment = [] }) => fragment).join(',');
  return { text, tag: contentTag(text), deflated: undefined };
}
