import { steadyMs, timeoutSignal } from './clock.ts';
import { byId, copyButton, element } from './elements.ts';

const timeoutMs = 15_000;
/** Longer bodies are truncated in the page. */
const shownCharactersMax = 40_000;

/** The key, in the memory of this page and nowhere else. */
let key = '';

/** What a form asks for. */
interface Request {
  readonly target: string;
  readonly headers: readonly [name: string, value: string][];
}

/** Makes the forms work. The key's field is read as it is typed and emptied when the page is left. */
function startForms(): void {
  const field = byId('api-key') as HTMLInputElement;
  const shown = byId('api-key-shown');
  field.addEventListener('input', () => {
    key = field.value.trim();
  });
  shown.addEventListener('click', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    shown.setAttribute('aria-pressed', String(isShown));
    shown.textContent = isShown ? 'Hide' : 'Show';
  });
  addEventListener('pagehide', () => {
    field.value = '';
    key = '';
  });
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) runOnSubmit(form);
  for (const hidden of document.querySelectorAll<HTMLElement>('form.try, .key-bar')) hidden.hidden = false;
}

function runOnSubmit(form: HTMLFormElement): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(form);
  });
}

async function run(form: HTMLFormElement): Promise<void> {
  const outcome = form.querySelector<HTMLElement>('.outcome')!;
  const result = form.querySelector<HTMLElement>('.result')!;
  const button = form.querySelector('button')!;
  const request = requestOf(form);
  button.disabled = true;
  outcome.className = 'outcome';
  outcome.textContent = 'Sending ...';
  const started = steadyMs();
  try {
    const { response, text } = await send(form, request);
    const tookMs = Math.round(steadyMs() - started);
    outcome.className = `outcome ${response.ok || response.status === 304 ? 'good' : 'bad'}`;
    outcome.textContent = `${response.status} ${response.statusText} in ${tookMs} ms`;
    result.replaceChildren(...answerBlocks(form, request, response, text));
  } catch {
    outcome.className = 'outcome bad';
    outcome.textContent = 'No answer. The service cannot be reached from here, or took too long.';
    result.replaceChildren(block(form, 'The same with curl', curlText(form, request)));
  }
  button.disabled = false;
}

function requestOf(form: HTMLFormElement): Request {
  const query = new URLSearchParams();
  const headers: [string, string][] = [];
  for (const field of form.querySelectorAll<HTMLInputElement>('input[data-in]')) {
    const value = field.value.trim();
    if (value === '') continue;
    if (field.dataset.in === 'query') query.append(field.name, value);
    else headers.push([field.name, value]);
  }
  return { target: query.size === 0 ? '' : `?${query}`, headers };
}

async function send(
  form: HTMLFormElement,
  { target, headers }: Request,
): Promise<{ response: Response; text: string }> {
  const { path = '', keyHeader } = form.dataset;
  const sent = new Headers([['Accept', 'application/json'], ...headers]);
  if (keyHeader !== undefined && key !== '') sent.set(keyHeader, key);
  const options = { headers: sent, cache: 'no-store', credentials: 'omit', signal: timeoutSignal(timeoutMs) } as const;
  const response = await fetch(path + target, options);
  return { response, text: await response.text() };
}

function answerBlocks(form: HTMLFormElement, request: Request, response: Response, text: string): HTMLElement[] {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const blocks = [block(form, 'Headers', headers)];
  if (text !== '') blocks.unshift(block(form, 'Body', shownBody(text)));
  return [...blocks, block(form, 'The same with curl', curlText(form, request))];
}

/** A block of code under a small heading. */
function block(form: HTMLFormElement, title: string, text: string): HTMLElement {
  const label = `${title}: ${form.dataset.path}`;
  const code = element('code', {}, ...(title === 'Body' ? coloured(text) : [text]));
  const content = element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, code);
  const frame = element('div', { class: 'code' }, content);
  if (navigator.clipboard !== undefined) frame.append(copyButton(content));
  return element('div', { class: 'part' }, element('p', { class: 'quiet small' }, title), frame);
}

/** JSON in the colours that the samples have. */
function coloured(text: string): (Node | string)[] {
  const parts = text.split(/("(?:[^"\\\n]|\\.)*"(?=:)|"(?:[^"\\\n]|\\.)*"|-?\b\d[\d.]*|\b(?:true|false|null)\b)/);
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const isName = part.startsWith('"') && parts[index + 1]?.startsWith(':');
    return element('span', { class: isName ? 't-p' : part.startsWith('"') ? 't-s' : 't-n' }, part);
  });
}

function shownBody(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  if (shown.length <= shownCharactersMax) return shown;
  return `${shown.slice(0, shownCharactersMax)}\n... ${shown.length - shownCharactersMax} more characters`;
}

/** Names the key as a variable, so that the command can be shared. */
function curlText(form: HTMLFormElement, { target, headers }: Request): string {
  const { address = '', keyHeader, keyVariable } = form.dataset;
  const lines = ['curl -i'];
  if (keyHeader !== undefined) lines.push(`-H "${keyHeader}: $${keyVariable}"`);
  for (const [name, value] of headers) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  lines.push(quoted(address + target));
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

startForms();
