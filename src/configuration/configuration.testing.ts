import assert from 'node:assert/strict';
import type { Configuration } from './configuration.ts';
import { ConfigurationError, type ConfigurationInput, type Flag, loadConfiguration } from './load.ts';

/** Everything a configuration is read from; files by their absolute path. */
export interface World {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly Flag[];
  readonly configPath?: string;
}

export function inputOf({ files = {}, env = {}, flags = [], configPath }: World): ConfigurationInput {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return text;
  };
  return { cwd: '/srv', env, flags, configPath, readFile };
}

export function load(world: World): Configuration {
  return loadConfiguration(inputOf(world)).configuration;
}

/** A configuration from the text of /srv/mdapi.yaml alone. */
export function fromYaml(text: string): Configuration {
  return load({ files: { '/srv/mdapi.yaml': text } });
}

/** The lines of the refusal. */
export function refusal(world: World): readonly string[] {
  try {
    load(world);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.message.split('\n');
  }
  return assert.fail('the configuration was taken');
}
