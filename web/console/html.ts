import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';

/** What a component takes as its content. */
export type Content = ComponentChildren;

type Tag = (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/**
 * Templates that make Preact elements. One with several roots gives an array of them: good as content, not as a
 * component's answer.
 */
export const html = (htm as unknown as { bind(make: typeof h): Tag }).bind(h);

/** Joins the names that apply: `classes('row', isOpen && 'open')`. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
