import type { Rate } from '../../generated/management-v1.d.ts';

/** Why a rate is held, in Czech. */
export const heldRateWhys: Readonly<Record<NonNullable<Rate['held']>['reason'], string>> = {
  bound:
    'je dál než guard.ratePercent od platného: potvrdí ho další fixing zdroje, nebo hodina stejných hodnot tam, kde zdroj data neuvádí',
  ceiling:
    'je dál než guard.rateCeilingPercent od platného nebo od včerejšího: potvrdí ho jen druhý zdroj nebo operátor',
  contradicted: 'druhý zdroj uvádí jiný a žádný kurz ještě není: potvrdí ho jen druhý zdroj nebo operátor',
  unconfirmed: 'ani platný nikdy nic nepotvrdilo: ceny nejsou, dokud druhý zdroj nebo operátor nepotvrdí jeden z nich',
};
