const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Finished HTML, so that it is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template whose values are escaped unless they are `Html`: safe as content of an element and within quoted attributes. */
export function html(literals: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  const textOf = (value: string | number | Html | undefined) =>
    value instanceof Html ? value.text : String(value ?? '').replace(/[&<>"'`]/g, (character) => entities[character]!);
  return new Html(literals.reduce((text, literal, index) => text + textOf(values[index - 1]) + literal));
}
