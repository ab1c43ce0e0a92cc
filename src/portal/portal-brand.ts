import { readFileSync } from 'node:fs';
import type { Brand } from './site.ts';

const logoBytesMax = 200_000;

/** The operator's brand in the configuration: the logo is the path of a file. */
type ConfiguredBrand = Omit<Brand, 'logo'> & { readonly logo?: string | undefined };
/** Makes the error that names the setting. */
type Refused = (what: string) => Error;

/** Reads the operator's brand, with the logo's file. Throws `refused` when that is no logo. */
export function portalBrand({ logo, ...portal }: ConfiguredBrand, refused: Refused): Brand {
  return { ...portal, logo: logo === undefined ? undefined : readLogo(logo, refused) };
}

function readLogo(path: string, refused: Refused): NonNullable<Brand['logo']> {
  const bytes = readFile(path, refused);
  if (bytes.length > logoBytesMax) throw refused(`${path} has ${bytes.length} bytes, more than ${logoBytesMax}`);
  if (bytes.subarray(0, 8).equals(pngStart)) return { kind: 'png', bytes };
  const text = bytes.toString('utf8');
  if (!/^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text))
    throw refused(`${path} is neither SVG nor PNG`);
  if (/<script|\son[a-z]+\s*=|(href|src)\s*=\s*["']?\s*(https?:|\/\/|javascript:)/i.test(text))
    throw refused(`${path} has scripts or loads from elsewhere, which the pages do not allow`);
  return { kind: 'svg', bytes };
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readFile(path: string, refused: Refused): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw refused(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
