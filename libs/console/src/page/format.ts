const numbers = new Intl.NumberFormat('en');
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const times = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

export const formatNumber = (value: number) => numbers.format(value);
export const formatDay = (value: string | number) => days.format(new Date(value));
/** Day and time in the zone of the reader. */
export const formatTime = (value: string | number) => times.format(new Date(value));
export const formatClock = (timeMs: number) => clock.format(timeMs);

export function formatCredits(credits: number): string {
  return `${formatNumber(credits)} ${credits === 1 ? 'credit' : 'credits'}`;
}

const steps = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** The largest unit that is at least one, and the next one where it is not zero. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  for (const [index, [unit, length]] of steps.entries()) {
    if (whole < length) continue;
    const [nextUnit, nextLength] = steps[index + 1] ?? ['s', 1];
    const rest = Math.floor((whole % length) / nextLength);
    return `${Math.floor(whole / length)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ''}`;
  }
  return `${whole} s`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${formatNumber(Math.ceil(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A word of the wire as a person reads it. */
export function formatWord(word: string): string {
  const spaced = word.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Pages of an export. */
export const pagesOf = (rows: number) => Math.ceil(rows / 2_000);
