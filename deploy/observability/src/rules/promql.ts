/**
 * What was counted within a window, by labels; nothing where that is none. A counter begins with
 * its first event, which `increase` alone would not see, for there is no zero before it.
 */
export function counted(series: string, window: string, by: string): string {
  const grown = `increase(${series}[${window}]) > 0`;
  const begun = `(${series} > 0 unless ${series} offset ${window})`;
  return `sum by (${by}) (${grown} or ${begun})`;
}

/** The share of some events among all of them; nothing where there were fewer than `leastEvents`. */
export function shareOf(part: {
  readonly of: string;
  readonly among: string;
  readonly window: string;
  readonly leastEvents: number;
}): string {
  const { of, among, window, leastEvents } = part;
  return `sum(increase(${of}[${window}])) / (sum(increase(${among}[${window}])) >= ${leastEvents})`;
}
