import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { findSystemProgram } from '../../test/support/system-program.ts';
import { assertOffers, type Offer, scriptFor } from './completion.testing.ts';

const zsh = findSystemProgram({ names: ['zsh'], package: 'zsh', orElse: 'brew install zsh' });
const fish = findSystemProgram({ names: ['fish'], package: 'fish', orElse: 'brew install fish' });

/** Its own functions are stood in for: they need a terminal. */
const zshOffers: Offer = (file, words) => {
  const described = `_describe() { print -l -- \${(M)\${candidates[@]%%:*}:#\${words[CURRENT]}*} }`;
  const chosen = `compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }`;
  const program = `compdef() { : }; ${described}; ${chosen}; file=$1; shift; source $file; words=("$@"); CURRENT=$#; _mdapi`;
  return execFileSync(zsh.path!, ['-f', '-c', program, 'zsh', file, ...words], { encoding: 'utf8' });
};

const fishOffers: Offer = (file, words) => {
  const program = 'source $argv[1]; complete -C "$argv[2..-1]"';
  const lines = execFileSync(fish.path!, ['--no-config', '-c', program, file, ...words], { encoding: 'utf8' });
  return lines.replaceAll(/\t.*/g, '');
};

describe('the completion of a shell', () => {
  it('knows commands, options and the words they take, in zsh', zsh.needs, async (t) => {
    assertOffers(zshOffers, await scriptFor(t, 'zsh'));
  });

  it('knows commands, options and the words they take, in fish', fish.needs, async (t) => {
    assertOffers(fishOffers, await scriptFor(t, 'fish'));
  });
});
