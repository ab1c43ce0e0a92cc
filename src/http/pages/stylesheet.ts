import { createHash } from 'node:crypto';

/** The one stylesheet of all pages, inline in each. ASCII. */
export const stylesheet = `
:root{color-scheme:light dark;--page:#ffffff;--text:#1a1e23;--quiet:#56606b;--line:#d4dae0;--soft:#f3f5f8;--link:#0b57a8;--good:#17693a;--warn:#8a5000;--bad:#b0231b;--plan:#5b3fa8}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--text:#e4e7eb;--quiet:#a3adb8;--line:#353c45;--soft:#1d2228;--link:#86b9f7;--good:#6fcf8e;--warn:#f0b95c;--bad:#ff9489;--plan:#bda9ff}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
.page{max-width:76rem;margin:0 auto;padding:0 1.25rem}
.top{border-bottom:1px solid var(--line)}
.top .page{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.75rem;padding-top:.75rem;padding-bottom:.5rem}
.name{margin:0;font-weight:650}
.name a{color:inherit;text-decoration:none}
nav ul{list-style:none;margin:0;padding:0}
.menu ul{display:flex;flex-wrap:wrap;gap:.1rem 1.25rem}
.menu a{display:inline-block;padding:.35rem 0;text-decoration:none}
.menu a:hover,.contents a:hover{text-decoration:underline}
.menu [aria-current]{color:var(--text);font-weight:600;box-shadow:inset 0 -2px var(--link)}
.skip{position:absolute;left:-100rem}
.skip:focus{left:1rem;top:.5rem;padding:.5rem 1rem;background:var(--page);z-index:1}
main{min-width:0;max-width:50rem;padding:1.75rem 0 3rem}
footer{padding-bottom:2rem;color:var(--quiet);font-size:.875rem}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
h1,h2,h3,h4{line-height:1.25;font-weight:650;text-wrap:balance}
h1{margin:0 0 .75rem;font-size:2rem;letter-spacing:-.015em}
h2{margin:2.75rem 0 .75rem;font-size:1.4rem;letter-spacing:-.01em}
h3{margin:2.25rem 0 .5rem;font-size:1.125rem}
h4{margin:1.5rem 0 .5rem;font-size:1rem}
p,ul,ol,dl{margin:0 0 1rem}
li{margin:.25rem 0}
.lead{font-size:1.125rem}
.quiet{color:var(--quiet)}
.small{font-size:.875rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{overflow-wrap:anywhere}
h2 code,h3 code,h1 code{font-size:.95em}
p code,td code,li code,dd code{padding:.1em .3em;background:var(--soft);border-radius:4px}
a code,.facts a code{padding:0;background:none}
pre{margin:0 0 1rem;padding:.85rem 1rem;overflow-x:auto;background:var(--soft);border:1px solid var(--line);border-radius:6px;line-height:1.5}
pre code{font-size:1em;overflow-wrap:normal}
figure{margin:0 0 1rem}
figcaption,summary{margin:0 0 .35rem;color:var(--quiet);font-size:.875rem}
summary{cursor:pointer;padding:.25rem 0}
details{margin:0 0 .25rem}
summary{margin:0}
.scroll{overflow-x:auto;margin:0 0 1rem;background:linear-gradient(90deg,var(--page) 40%,transparent) left/2.5rem 100% no-repeat local,linear-gradient(270deg,var(--page) 40%,transparent) right/2.5rem 100% no-repeat local,linear-gradient(90deg,var(--line),transparent) left/.75rem 100% no-repeat scroll,linear-gradient(270deg,var(--line),transparent) right/.75rem 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th:last-child,td:last-child{padding-right:0;min-width:17rem}
th{font-weight:600}
thead th{color:var(--quiet);font-size:.875rem;white-space:nowrap}
td>p,th>p{margin:.35rem 0 0;font-weight:400}
.named{white-space:nowrap}
tbody th{width:1%;min-width:8rem}
tbody th.word{min-width:0}
.codes tbody th{min-width:min(17rem,40vw)}
.named code{overflow-wrap:normal}
.short td:last-child,.short th:last-child{min-width:0}
tr:target{background:var(--soft)}
.headers a,.headers code{white-space:nowrap}
td.word,th.word{white-space:nowrap;width:1%}
td.word code,th.word code{overflow-wrap:normal}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.4rem 1.5rem}
.facts dt{color:var(--quiet)}
.facts dd{margin:0;min-width:0}
.facts code{padding:.1em .3em;background:var(--soft);border-radius:4px}
.state{display:flex;gap:1rem;align-items:baseline;margin:0 0 1.5rem;padding:1.1rem 1.25rem;border:1px solid;border-left-width:.5rem;border-radius:6px;background:var(--soft)}
.state p{margin:0;color:var(--text)}
.state .word{font-size:1.375rem;font-weight:650;color:inherit}
.operational{color:var(--good)}
.degraded{color:var(--warn)}
.outage{color:var(--bad)}
.maintenance{color:var(--plan)}
dd[class]{font-weight:600}
.contents{padding:1.75rem 0 0;font-size:.9375rem}
.contents h2{margin:0 0 .5rem;font-size:1rem}
.contents li{margin:0}
.contents a{display:block;padding:.2rem 0;text-decoration:none}
.contents ul ul{padding-left:1rem}
@media (max-width:58rem){.contents .deep{display:none}.contents>ul{columns:2;column-gap:1.5rem}.contents li{break-inside:avoid-column}}
@media (min-width:58.01rem){.with-contents{display:grid;grid-template-columns:15rem minmax(0,50rem);gap:3rem}.contents{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding-bottom:2rem}}
@media (max-width:36rem){h1{font-size:1.65rem}.facts{grid-template-columns:1fr;gap:0}.facts dd{margin:0 0 .6rem}.menu ul{gap:.1rem .95rem}.menu a{font-size:.9375rem}.menu a,.contents a{padding:.45rem 0}ol,main ul{padding-left:1.35rem}th:last-child,td:last-child{min-width:10rem}pre{padding:.7rem .8rem;font-size:.8125rem}.state{flex-direction:column;gap:.25rem}}
@media print{.menu,.contents,.skip{display:none}.top{border:0}.page.with-contents{display:block}main{max-width:none}html{font-size:10pt}pre{white-space:pre-wrap;overflow-wrap:anywhere}.scroll{overflow:visible}h2,h3,h4{break-after:avoid}tr,figure{break-inside:avoid}a{color:inherit}details::details-content{content-visibility:visible;block-size:auto}summary{list-style:none}}
`;

const stylesheetHash = createHash('sha256').update(stylesheet).digest('base64');

/**
 * The headers of every page beside the common ones: the page may show itself and this one stylesheet,
 * and load, run, send and be framed by nothing (CSP level 3).
 */
export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${stylesheetHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'Referrer-Policy',
  'no-referrer',
];
