import { dayBefore, newestFixingDay } from '../../exchange-simulator/rates.ts';
import { type RateSourceName, RatesModel } from './rates-model.ts';
import { epochMs } from './scheduler.ts';
import type { LiedRate, ToldRates } from './told-rates.ts';
import type { World } from './world.ts';

const lookedForEveryMs = 600_000;

/** Whoever is meant. */
export type WhichBank = 'first' | 'second' | 'both';

/** The source of the rate, and the one that it is compared with in most seeds. */
export class Banks {
  readonly first: RatesModel;
  readonly second: RatesModel;
  readonly #areCompared: boolean;
  readonly #world: World;
  readonly #told: ToldRates;
  readonly #lies = new Map<RatesModel, LiedRate>();

  /**
   * @param told learns what is true, and what is said
   * @param areCompared the service is given the second source, too
   */
  constructor(world: World, source: RateSourceName, told: ToldRates, areCompared = true) {
    this.#areCompared = areCompared;
    this.#world = world;
    this.#told = told;
    this.first = new RatesModel('bank', source, told.truth);
    this.second = new RatesModel('bank-2', 'ecb', told.truth);
  }

  get all(): readonly RatesModel[] {
    return [this.first, this.second];
  }

  /** Both have another rate, which is the true one. */
  set(value: string): void {
    this.#told.rateFrom(value, this.#world.nowMs);
    for (const bank of this.all) bank.set(value);
  }

  /** @param say gives a lie for the true rate; `undefined`: they tell the truth again */
  async lie(which: WhichBank, say: ((truth: string) => string) | undefined): Promise<void> {
    for (const bank of which === 'both' ? this.all : [this[which]]) {
      this.#endLie(bank);
      const value = say?.(bank.truth);
      await bank.lie(value === undefined ? undefined : { value });
      if (value !== undefined) this.#noteLie(bank, value, which === 'both');
    }
  }

  /** Has the bank give the document of an earlier fixing, or the last one again. */
  async giveOlder(isOn: boolean): Promise<void> {
    const value = (0.98 * Number(this.first.truth)).toFixed(3);
    this.#endLie(this.first);
    await this.first.lie(isOn ? { value, day: dayBefore(newestFixingDay('cnb', this.#now)) } : undefined);
    if (isOn) this.#noteLie(this.first, value, false, 'older');
  }

  /** Nobody can read the rate, or everybody again. */
  async lose(isLost: boolean): Promise<void> {
    this.#told.lost(isLost, this.#world.nowMs);
    await this.first.fault('rate-gone', isLost);
  }

  async mend(): Promise<void> {
    await this.lie('both', undefined);
    await this.lose(false);
  }

  #noteLie(bank: RatesModel, value: string, isWitnessed: boolean, older?: 'older'): void {
    const dated = older ?? (bank.isDated ? 'dated' : 'undated');
    const nextFixingMs = this.#nextFixing() - epochMs;
    const isFirst = bank === this.first;
    const lie = { value, dated, nextFixingMs, isWitnessed, isFirst, isAlone: !this.#areCompared } as const;
    this.#lies.set(bank, this.#told.lied(lie, this.#world.nowMs));
  }

  #endLie(bank: RatesModel): void {
    const { nowMs } = this.#world;
    const lie = this.#lies.get(bank);
    if (lie !== undefined) lie.untilMs = Math.min(lie.untilMs, nowMs);
    this.#told.changed(nowMs);
  }

  /** To ten minutes before it. */
  #nextFixing(): number {
    const day = newestFixingDay('cnb', this.#now);
    let at = this.#now;
    while (newestFixingDay('cnb', at + lookedForEveryMs) === day) at += lookedForEveryMs;
    return at;
  }

  get #now(): number {
    return epochMs + this.#world.nowMs;
  }
}
