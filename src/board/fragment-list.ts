import { deflatePiece, joinGzipPieces } from './gzip-pieces.ts';

/** A member of the list as JSON text; `undefined` leaves it out. */
export interface Fragment {
  readonly fragment: string | undefined;
}

interface Block {
  readonly members: readonly Fragment[];
  /** `undefined`: a member changed since it was joined. */
  text: string | undefined;
  /** `undefined`: a member changed since it was compressed. */
  deflated: Buffer | undefined;
}

const membersPerBlock = 16;

/** Between two readers so few blocks change while many read; only then does compressing block by block pay. */
const deflatedAtOnceMax = 8;

/**
 * A JSON array under one name, `{"tickers":[…]}`, kept in blocks of members: a change of one costs
 * its block, in the text as in the gzip coding, and not the whole list. That matters most when it
 * is busiest: with a live feed nearly every reader finds something changed.
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
      blocks.push({ members: members.slice(start, start + membersPerBlock), text: undefined, deflated: undefined });
    }
    this.#blocks = blocks;
  }

  /** The fragment of the member at this index is another one now. */
  changed(index: number): void {
    const block = this.#blocks[Math.floor(index / membersPerBlock)];
    if (block === undefined) return;
    if (block.text !== undefined) this.#changedBlocks++;
    block.text = undefined;
    block.deflated = undefined;
    this.#text = undefined;
  }

  /** The whole as text; `undefined` when it has no member. */
  text(): string | undefined {
    if (this.#text !== undefined) return this.#text;
    const texts: string[] = [];
    for (const block of this.#blocks) {
      block.text ??= joined(block.members);
      if (block.text !== '') texts.push(block.text);
    }
    if (texts.length === 0) return undefined;
    this.#text = `${this.#opening}${texts.join(',')}]}`;
    return this.#text;
  }

  /**
   * The gzip coding made from blocks, or `undefined` when compressing the whole is the smaller work,
   * or when `body` is no longer the list's text. Several calls can be needed until all blocks are ready.
   */
  gzip(text: string, body: Buffer): Buffer | undefined {
    const changedBlocks = this.#changedBlocks;
    this.#changedBlocks = 0;
    if (text !== this.#text || changedBlocks > deflatedAtOnceMax) return undefined;
    const pieces = [this.#pieces.opening];
    let deflatedNow = 0;
    for (const block of this.#blocks) {
      if (block.text === undefined || block.text === '') continue;
      if (block.deflated === undefined) {
        if (deflatedNow === deflatedAtOnceMax) return undefined;
        block.deflated = deflatePiece(block.text);
        deflatedNow++;
      }
      if (pieces.length > 1) pieces.push(this.#pieces.comma);
      pieces.push(block.deflated);
    }
    pieces.push(this.#pieces.closing);
    return joinGzipPieces(pieces, body);
  }
}

function joined(members: readonly Fragment[]): string {
  const texts: string[] = [];
  for (const { fragment } of members) if (fragment !== undefined) texts.push(fragment);
  return texts.join(',');
}
