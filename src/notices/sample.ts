import type { EpochMs } from '../clock.ts';
import type { NoticeFigures } from '../store/notices.ts';

const minuteMs = 60_000;

/** Figures of nobody's key, for a preview and for a test of the mail server: three minutes before `now`. */
export function sampleFigures(now: EpochMs, limitPerMinute: number): NoticeFigures {
  const lastMinuteMs = now - (now % minuteMs) - minuteMs;
  const minutes = [12, 5, 0].map((before, index) => ({
    startMs: lastMinuteMs - before * minuteMs,
    refused: [41, 388, 112][index]!,
  }));
  return {
    label: 'trading bot',
    lastFour: 'x7Qa',
    limitPerMinute,
    breachedMinutes: minutes.length,
    requestsRefused: minutes.reduce((sum, { refused }) => sum + refused, 0),
    firstMinuteMs: minutes[0]!.startMs,
    lastMinuteMs,
    minutes,
  };
}
