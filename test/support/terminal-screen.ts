/**
 * What a person sees of a program at a terminal: a screen that understands the few control sequences our
 * own programs write, and throws for any other.
 */
export class TerminalScreen {
  #columns: number;
  #cells: string[][] = [];
  #row = 0;
  #column = 0;
  #rest = '';
  /** The screen of its own that a program asked for, in place of what was there before. */
  isAlternate = false;
  isCursorShown = true;
  isWrapping = true;
  /** Whether a colour or another style is on: it would colour whatever comes next. */
  isStyled = false;
  /** Everything written while no program had a screen of its own. */
  before = '';

  constructor(columns = 80) {
    this.#columns = columns;
  }

  resize(columns: number): void {
    this.#columns = columns;
  }

  /** The lines, without spaces at their ends. */
  get lines(): string[] {
    return this.#cells.map((cells) =>
      Array.from(cells, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
  }

  get text(): string {
    return this.lines.join('\n');
  }

  write(text: string): void {
    this.#rest += text;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with one
    const token = /\u001b\[([?\d;]*)([A-Za-z])|\r|\n|[^\u001b\r\n]/uy;
    let end = 0;
    for (let found = token.exec(this.#rest); found !== null; found = token.exec(this.#rest)) {
      end = token.lastIndex;
      const [whole, parameters, final] = found;
      if (final !== undefined) this.#control(`${parameters}${final}`);
      else this.#print(whole);
    }
    this.#rest = this.#rest.slice(end);
    if (this.#rest.length > 20) throw new Error(`no sequence this screen understands: ${JSON.stringify(this.#rest)}`);
  }

  #print(character: string): void {
    if (!this.isAlternate) {
      this.before += character;
    } else if (character === '\r') {
      this.#column = 0;
    } else if (character === '\n') {
      this.#row++;
    } else {
      this.#cellsHere()[this.#column] = character;
      if (this.isWrapping) throw new Error('drawn while lines wrap');
      this.#column = Math.min(this.#column + 1, this.#columns - 1);
    }
  }

  #cellsHere(): string[] {
    const cells = this.#cells[this.#row] ?? [];
    this.#cells[this.#row] = cells;
    return cells;
  }

  #control(sequence: string): void {
    const [, mode, onOff] = /^\?(\d+)([hl])$/.exec(sequence) ?? [];
    if (mode === '1049') {
      this.isAlternate = onOff === 'h';
      this.#cells = [];
    } else if (mode === '25') this.isCursorShown = onOff === 'h';
    else if (mode === '7') this.isWrapping = onOff === 'h';
    else if (sequence === 'H') [this.#row, this.#column] = [0, 0];
    else if (sequence === '2J') this.#cells = [];
    else if (sequence === 'K') this.#cellsHere().length = this.#column;
    else if (sequence.endsWith('m')) this.isStyled = !/^(0|22|39)?m$/.test(sequence);
    else throw new Error(`no sequence this screen understands: ${sequence}`);
  }
}
