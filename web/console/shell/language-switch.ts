import { html } from '../html.ts';
import { chooseLanguage, type Language, language, languages } from '../language.ts';

const names = Object.entries(languages) as readonly (readonly [Language, string])[];

/** Changes to the other languages, each by its own name. */
export function LanguageSwitch() {
  const others = names.filter(([name]) => name !== language);
  return others.map(
    ([name, text]) =>
      html`<button key=${name} type="button" lang=${name} onClick=${() => chooseLanguage(name)}>${text}</button>`,
  );
}
