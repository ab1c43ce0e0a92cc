/** A curve over time; a gap where it has no value. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly (readonly [minute: number, value: number | undefined])[];
  /** Whether the axis begins at zero or near the least value. */
  readonly fromZero: boolean;
}

export interface PlotBand {
  readonly kind: 'fault' | 'maintenance';
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly what: string;
}

export interface Plot {
  readonly title: string;
  readonly minutes: number;
  readonly panels: readonly Panel[];
  readonly bands: readonly PlotBand[];
}

const width = 960;
const left = 60;
const right = 16;
const top = 48;
const panelHeight = 150;
const panelGap = 44;
const bottom = 40;

const style = `
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-size: 15px; font-weight: 600 }
.axis { stroke: #999; stroke-width: 1 }
.grid { stroke: #999; stroke-opacity: .25 }
.curve { fill: none; stroke: #1a6fb5; stroke-width: 1.3; stroke-linejoin: round }
.fault { fill: #e07b00; fill-opacity: .22 }
.maintenance { fill: #7a4fd0; fill-opacity: .28 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  .curve { stroke: #6db8f2 }
  .fault { fill: #ffa23d }
  .maintenance { fill: #b79bff }
}`;

/**
 * One SVG document: the panels under each other over the same time, with the bands behind them. Readable in light and
 * dark.
 */
export function plotSvg({ title, minutes, panels, bands }: Plot): string {
  const height = top + panels.length * (panelHeight + panelGap) + bottom - panelGap;
  const x = (minute: number) => left + (minute / minutes) * (width - left - right);
  const parts = panels.map((panel, index) =>
    panelSvg(panel, bands, top + index * (panelHeight + panelGap), x, minutes),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}\n</style>`,
    `<text class="title" x="${left}" y="20">${escaped(title)}</text>`,
    legend(),
    ...parts,
    `<text x="${width - right}" y="${height - 6}" text-anchor="end">minutes</text>`,
    '</svg>\n',
  ].join('\n');
}

function legend(): string {
  const at = width - right - 230;
  return [
    `<rect class="fault" x="${at}" y="9" width="14" height="14"/><text x="${at + 20}" y="20">feed fault</text>`,
    `<rect class="maintenance" x="${at + 110}" y="9" width="14" height="14"/><text x="${at + 130}" y="20">maintenance</text>`,
  ].join('');
}

function panelSvg(
  { title, unit, points, fromZero }: Panel,
  bands: readonly PlotBand[],
  y0: number,
  x: (minute: number) => number,
  minutes: number,
): string {
  const values = points.flatMap(([, value]) => (value === undefined ? [] : [value]));
  const [low, high, step] = axis(fromZero ? 0 : Math.min(...values), Math.max(...values, fromZero ? 1 : 0));
  const y = (value: number) => y0 + panelHeight - ((value - low) / (high - low)) * panelHeight;
  const lines: string[] = [`<text x="${left}" y="${y0 - 8}">${escaped(title)} (${escaped(unit)})</text>`];
  for (const { kind, fromMinute, toMinute, what } of bands) {
    const wide = Math.max(1.5, x(toMinute) - x(fromMinute));
    lines.push(
      `<rect class="${kind}" x="${round(x(fromMinute))}" y="${y0}" width="${round(wide)}" height="${panelHeight}"><title>${escaped(what)}</title></rect>`,
    );
  }
  for (let value = low; value <= high + step / 1e6; value += step) {
    lines.push(
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${round(y(value))}" y2="${round(y(value))}"/>`,
    );
    lines.push(`<text x="${left - 6}" y="${round(y(value) + 4)}" text-anchor="end">${label(value)}</text>`);
  }
  const [, , minuteStep] = axis(0, minutes, 12);
  for (let minute = 0; minute <= minutes; minute += minuteStep) {
    lines.push(
      `<text x="${round(x(minute))}" y="${y0 + panelHeight + 16}" text-anchor="middle">${label(minute)}</text>`,
    );
  }
  lines.push(`<path class="axis" fill="none" d="M${left} ${y0}V${y0 + panelHeight}H${width - right}"/>`);
  lines.push(`<path class="curve" d="${curve(points, x, y)}"/>`);
  return lines.join('\n');
}

function curve(points: Panel['points'], x: (minute: number) => number, y: (value: number) => number): string {
  let command = 'M';
  let path = '';
  for (const [minute, value] of points) {
    if (value === undefined) {
      command = 'M';
      continue;
    }
    path += `${command}${round(x(minute))} ${round(y(value))}`;
    command = 'L';
  }
  return path;
}

/** Bounds around the values on round numbers, and the round step between them. */
function axis(least: number, most: number, steps = 5): readonly [low: number, high: number, step: number] {
  const rough = Math.max((most - least) / steps, 1e-3);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!;
  const low = Math.floor(least / step) * step;
  return [low, Math.max(low + step, Math.ceil(most / step) * step), step];
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function label(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
