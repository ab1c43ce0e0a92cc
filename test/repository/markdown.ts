/** Code in a Markdown text: fenced blocks with their language, and spans in backticks. */
export interface Code {
  readonly language: string | undefined;
  readonly text: string;
}

const fence = /^ {0,3}```([^\n]*)\n([\s\S]*?)^ {0,3}```\s*$/gm;
const span = /`([^`\n]+)`/g;

export function blocksOf(markdown: string): readonly Code[] {
  return [...markdown.matchAll(fence)].map(([, language = '', text = '']) => ({
    language: language.trim() === '' ? undefined : language.trim(),
    text,
  }));
}

/** The contents of all code spans, those in tables too. */
export function spansOf(markdown: string): readonly string[] {
  return [...markdown.replaceAll(fence, '').matchAll(span)].map(([, text = '']) => text.trim());
}

/** The targets of links and images, as they are written. */
export function linksOf(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(fence, '').replaceAll(span, '');
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const named = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...named].map(([, target = '']) => target);
}

/**
 * The anchors that headings get where Markdown is shown: small letters, digits, hyphens for spaces, numbered when
 * repeated.
 */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.replaceAll(fence, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const base = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Links with what they show, for those that promise something of their target. */
export function namedLinksOf(markdown: string): readonly { readonly shown: string; readonly target: string }[] {
  const prose = markdown.replaceAll(fence, '');
  return [...prose.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, shown = '', target = '']) => ({ shown, target }));
}
