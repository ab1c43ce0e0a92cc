import { type ElementNode, firstNamed, type Node, pageTree, textOf } from './page-tree.ts';

/** Where a link of a page leads for a reader of its Markdown. */
export type LinkTarget = (href: string) => string;

const inlineElements = new Set(['a', 'abbr', 'bdi', 'br', 'code', 'em', 'span', 'strong', 'time', 'wbr']);
/** What only a browser has a use for. An attribute `data-web` marks more of it. */
const leftOut = new Set(['button', 'form', 'img', 'input', 'label', 'legend', 'nav', 'noscript', 'output', 'script']);

/**
 * The Markdown twin of one of our own pages: the content of its `main`, in CommonMark with tables. Made
 * from the page itself, so that the two cannot say different things.
 */
export function pageMarkdown(html: string, target: LinkTarget): string {
  const [start, end] = [html.indexOf('<main'), html.indexOf('</main>')];
  const main = firstNamed(pageTree(html.slice(start, end)), 'main');
  if (start === -1 || main === undefined) throw new Error('the page has no main element');
  return `${new Writer(target).blocks(main.children).trim()}\n`;
}

class Writer {
  readonly #target: LinkTarget;

  constructor(target: LinkTarget) {
    this.#target = target;
  }

  /** Elements one below the other; what stands between them inline makes paragraphs. */
  blocks(nodes: readonly Node[]): string {
    const parts: string[] = [];
    let inline: Node[] = [];
    const endParagraph = () => {
      parts.push(this.#inline(inline).trim());
      inline = [];
    };
    for (const node of nodes) {
      if (typeof node === 'string' || inlineElements.has(node.name)) {
        inline.push(node);
        continue;
      }
      endParagraph();
      parts.push(this.#block(node));
    }
    endParagraph();
    return parts.filter((part) => part !== '').join('\n\n');
  }

  #block(element: ElementNode): string {
    const { name, attributes, children } = element;
    if (leftOut.has(name) || attributes.has('data-web')) return '';
    if (/^h[1-6]$/.test(name)) return `${'#'.repeat(Number(name[1]))} ${this.#inline(children).trim()}`;
    if (name === 'pre') return fenced(attributes.get('data-language') ?? '', textOf(element));
    if (name === 'ul' || name === 'ol') return this.#list(element);
    if (name === 'dl') return this.#terms(children);
    if (name === 'table') return this.#table(element);
    if (name === 'hr') return '---';
    if (name === 'figcaption' || name === 'summary') return `${this.#inline(children).trim()}:`;
    return this.blocks(children);
  }

  #list({ name, children }: ElementNode): string {
    const items = children.filter((child) => typeof child !== 'string');
    const lines = items.map((item, index) => {
      const bullet = name === 'ol' ? `${index + 1}. ` : '- ';
      return bullet + this.blocks(item.children).replaceAll(/\n(?=.)/g, `\n${' '.repeat(bullet.length)}`);
    });
    return lines.join('\n');
  }

  #terms(nodes: readonly Node[]): string {
    const lines: string[] = [];
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      const text = this.#cell(node);
      if (node.name === 'dt') lines.push(`- **${text}**:`);
      else if (node.name === 'dd') lines.push(`${lines.pop()} ${text}`);
      else lines.push(this.#terms(node.children));
    }
    return lines.join('\n');
  }

  #table(table: ElementNode): string {
    const rows = rowsOf(table).map(
      (row) =>
        `| ${elementsOf(row)
          .map((cell) => this.#cell(cell))
          .join(' | ')} |`,
    );
    const [head = '', ...body] = rows;
    const columns = elementsOf(rowsOf(table)[0]!).length;
    return [head, `|${' --- |'.repeat(columns)}`, ...body].join('\n');
  }

  /** Whatever is in a cell, on one line. */
  #cell({ children }: ElementNode): string {
    return this.blocks(children)
      .replaceAll(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|');
  }

  #inline(nodes: readonly Node[]): string {
    return nodes.map((node) => (typeof node === 'string' ? escaped(node) : this.#inlineElement(node))).join('');
  }

  #inlineElement(element: ElementNode): string {
    const { name, attributes, children } = element;
    if (leftOut.has(name) || attributes.has('data-web')) return '';
    const inner = this.#inline(children);
    if (name === 'code') return codeSpan(textOf(element));
    if (name === 'strong') return `**${inner}**`;
    if (name === 'em') return `*${inner}*`;
    if (name === 'br') return '\\\n';
    if (name === 'a') return `[${inner}](${this.#target(attributes.get('href') ?? '')})`;
    return inner;
  }
}

function elementsOf({ children }: ElementNode): ElementNode[] {
  return children.filter((child) => typeof child !== 'string');
}

function rowsOf(table: ElementNode): ElementNode[] {
  return elementsOf(table).flatMap((part) => (part.name === 'tr' ? [part] : elementsOf(part)));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*<[\]]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** A span of code, in as many backticks as the code does not have itself. */
function codeSpan(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\``;
}
