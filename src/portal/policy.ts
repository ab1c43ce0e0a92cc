/**
 * The headers of every page beside the common ones. A page may load scripts, styles, images and data
 * from this origin alone, runs nothing that stands in the page itself, sends no form and is framed by
 * nobody (CSP level 3), so a mistake in escaping could show something and not run it.
 */
export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];
