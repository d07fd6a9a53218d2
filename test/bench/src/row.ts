/** One measured figure beside its yardstick, measured in the same run. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The yardstick's figure in the same unit; null where none makes sense. */
  readonly yardstick: number | null;
  /** Turned so that more is better: 1 is as good as the yardstick. */
  readonly ratio: number | null;
  /** The least ratio that is acceptable; null where the figure is only reported. */
  readonly floor: number | null;
}

interface Measured {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: number;
  readonly floor?: number;
}

/** A figure of which more is better, such as a rate. */
export function moreIsBetter({ floor = 0, ...measured }: Measured): Row {
  return { ...measured, ratio: measured.value / measured.yardstick, floor: floor || null };
}

/** A figure of which less is better, such as a delay. */
export function lessIsBetter({ floor = 0, ...measured }: Measured): Row {
  return { ...measured, ratio: measured.yardstick / measured.value, floor: floor || null };
}

export interface Delays {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type Tail = Pick<Delays, 'p99Ms'>;

/** The 99th percentile of a load may be twice that of the same load undisturbed, or so many times. */
export function besideOthers(name: string, beside: Tail, alone: Tail, times = 2): Row {
  const delays = { value: beside.p99Ms, yardstick: alone.p99Ms, unit: 'ms' };
  return lessIsBetter({ name: `${name}, p99`, ...delays, floor: 1 / times });
}

export function reported(name: string, value: number, unit: string): Row {
  return { name, value, unit, yardstick: null, ratio: null, floor: null };
}

/** Of a benchmark that ended without its rows. */
export function couldNotRun(name: string): Row {
  return { name: `${name}: could not run`, value: 0, unit: '', yardstick: 1, ratio: 0, floor: 1 };
}

const round = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, '');

export function isMissed({ ratio, floor }: Row): boolean {
  return ratio !== null && floor !== null && ratio < floor;
}

/** The rows as a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${round(row.value)} ${row.unit}`,
    row.yardstick === null ? '' : `${round(row.yardstick)} ${row.unit}`,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.floor === null ? '' : row.floor.toFixed(2),
    row.floor === null || row.ratio === null ? '' : isMissed(row) ? 'missed' : 'met',
  ]);
  const header = ['What', 'Ours', 'Yardstick', 'Ratio', 'Floor', ''];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join(
    '\n',
  );
}
