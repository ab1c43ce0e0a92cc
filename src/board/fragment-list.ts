import { deflatePiece, joinGzipPieces } from './gzip-pieces.ts';
import { contentTag, type PageMakings } from './page.ts';

/** A member of the list as JSON text; `undefined` leaves it out. */
export interface Fragment {
  readonly fragment: string | undefined;
}

/** What a block's members read now. A page keeps those it is made of, whatever becomes of the block. */
interface BlockContent {
  readonly text: string;
  readonly tag: string;
  /** Made when first asked for. */
  deflated: Buffer | undefined;
}

interface Block {
  readonly members: readonly Fragment[];
  /** `undefined`: a member changed since they were joined. */
  content: BlockContent | undefined;
}

const membersPerBlock = 16;

/** Between two readers so few blocks change while many read; only then does compressing block by block pay. */
const changedBlocksMax = 8;

/**
 * A JSON array under one name, `{"tickers":[…]}`, kept in blocks of members: a change of one costs
 * its block, in the text, in its tag and in the gzip coding, and not the whole list. That matters most when
 * it is busiest: with a live feed nearly every reader finds something changed.
 */
export class FragmentList {
  readonly #blocks: readonly Block[];
  readonly #opening: string;
  readonly #pieces: { readonly opening: Buffer; readonly comma: Buffer; readonly closing: Buffer };
  #text: string | undefined;
  #changedBlocks = 0;

  /** `members` in their order; what their `fragment` gives may change, see `changed`. */
  constructor(name: string, members: readonly Fragment[]) {
    this.#opening = `{"${name}":[`;
    this.#pieces = { opening: deflatePiece(this.#opening), comma: deflatePiece(','), closing: deflatePiece(']}') };
    const blocks: Block[] = [];
    for (let start = 0; start < members.length; start += membersPerBlock) {
      blocks.push({ members: members.slice(start, start + membersPerBlock), content: undefined });
    }
    this.#blocks = blocks;
    this.#changedBlocks = blocks.length;
  }

  /** The fragment of the member at this index is another one now. */
  changed(index: number): void {
    const block = this.#blocks[Math.floor(index / membersPerBlock)];
    if (block === undefined) return;
    if (block.content !== undefined) this.#changedBlocks++;
    block.content = undefined;
    this.#text = undefined;
  }

  /** The whole as text; `undefined` when it has no member. */
  text(): string | undefined {
    if (this.#text !== undefined) return this.#text;
    const texts = this.#contents().map(({ text }) => text);
    if (texts.length === 0) return undefined;
    this.#text = `${this.#opening}${texts.join(',')}]}`;
    return this.#text;
  }

  /**
   * How a page of the present text is best made: its tag from those of the blocks, and its gzip coding from
   * compressed blocks when few have changed since the last call. To be asked once for every text.
   */
  makings(): PageMakings {
    const changedBlocks = this.#changedBlocks;
    this.#changedBlocks = 0;
    const contents = this.#contents();
    const tag = contentTag(contents.map((content) => content.tag).join());
    return changedBlocks > changedBlocksMax ? { tag } : { tag, gzip: (body) => this.#gzip(contents, body) };
  }

  #gzip(contents: readonly BlockContent[], body: Buffer): Buffer {
    const pieces = [this.#pieces.opening];
    for (const content of contents) {
      content.deflated ??= deflatePiece(content.text);
      if (pieces.length > 1) pieces.push(this.#pieces.comma);
      pieces.push(content.deflated);
    }
    pieces.push(this.#pieces.closing);
    return joinGzipPieces(pieces, body);
  }

  /** Of every block that has anything to show. */
  #contents(): readonly BlockContent[] {
    const contents: BlockContent[] = [];
    for (const block of this.#blocks) {
      block.content ??= contentOf(block.members);
      if (block.content.text !== '') contents.push(block.content);
    }
    return contents;
  }
}

function contentOf(members: readonly Fragment[]): BlockContent {
  const texts: string[] = [];
  for (const { fragment } of members) if (fragment !== undefined) texts.push(fragment);
  const text = texts.join(',');
  return { text, tag: contentTag(text), deflated: undefined };
}
