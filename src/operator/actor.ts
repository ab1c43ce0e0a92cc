/** The form of a name that the command line is told. */
const nameShape = /^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,59}$/;
const nameLengthMax = 60;

/** Says what a name is that the command line takes. */
export const actorNameForm = 'begins with a letter or digit and has 1 to 60 letters, digits, blanks, ., _, @ and -';

export function isActorName(text: string): boolean {
  return nameShape.test(text);
}

/** A name that another program gives, in the form of one: what does not fit in it is shown as `-`. */
export function actorNameOf(text: string): string {
  const [first = '', ...others] = text.slice(0, nameLengthMax);
  const fitting = others.map((letter) => (/[A-Za-z0-9 ._@-]/.test(letter) ? letter : '-')).join('');
  return `${/[A-Za-z0-9]/.test(first) ? first : 'x'}${fitting}`;
}

/**
 * The actor of the audit log for changes of the command line: the user of the operating system, who is proven, and the
 * person whom the command line names, who is not: `cli:alice (said by root)`.
 *
 * @param user `undefined` where the system has no name for the user
 * @param said an actor name; `undefined` where nobody is named
 */
export function commandActor(user: string | undefined, said?: string): string {
  const proven = user ?? 'unknown';
  return said === undefined || said === proven ? `cli:${proven}` : `cli:${said} (said by ${proven})`;
}

/**
 * Whether two actors of the audit log may be one person. An actor of the command line goes by the user of the system
 * and by the name that was said: a name that nobody proved makes no second person. Names count without their case and
 * without where they come from: the token `alice`, `cli:alice` and `oidc:alice@example.com` may all be Alice.
 */
export function mayBeOnePerson(one: string, other: string): boolean {
  const others = namesOf(other);
  return namesOf(one).some((name) => others.some((each) => isAlike(name, each)));
}

function namesOf(actor: string): readonly string[] {
  const [, said, user] = /^cli:(.*) \(said by (.*)\)$/.exec(actor) ?? [];
  const names = said === undefined || user === undefined ? [actor.replace(/^(cli|oidc):/, '')] : [said, user];
  return names.map((name) => name.toLowerCase());
}

/** An address is that of the person whom a name before its `@` names. */
function isAlike(one: string, other: string): boolean {
  if (one.includes('@') === other.includes('@')) return one === other;
  return one.split('@')[0] === other.split('@')[0];
}
