import type { Doubt } from '../../generated/management-v1.d.ts';
import { localText } from '../format/time.ts';

/** Why a source is doubted, in Czech. */
export const doubtWhys: Readonly<Record<Doubt['reason'], string>> = {
  contradicted: 'ostatní zdroje se shodují na jiné ceně, nebo jen on opustil svou',
  not_comparable: 'nikdy se neshodl s používaným zdrojem; často jde o dvě aktiva téhož jména',
  jump: 'během deseti sekund se pohnul o více než guard.jumpPercent',
  range: 'je mimo polovinu až dvojnásobek rozmezí za 24 hodin',
  spread: 'jeho rozpětí je více než pětkrát větší než obvyklé',
  rate: 'pohnul se dále, než kurz smí',
  withdrawn: 'jeho zdroj už pro něj nemá cenu',
};

/** What is served instead of a doubted price, in Czech. */
export function servedText({
  servedBy,
  lastGoodOf,
  lastGoodAtMs,
}: Pick<Doubt, 'servedBy' | 'lastGoodOf' | 'lastGoodAtMs'>): string {
  if (servedBy !== null) return `cena ${servedBy}`;
  if (lastGoodOf === null || lastGoodAtMs === null) return 'bez ceny';
  return `poslední dobrá cena ${lastGoodOf}, zachycená ${localText(lastGoodAtMs, 'full')}`;
}
