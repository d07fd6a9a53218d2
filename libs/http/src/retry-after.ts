const seconds = /^[0-9]+$/;
/** The three forms of RFC 9110, 5.6.7; the last has no zone, and means GMT. */
const dates = [
  /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/,
  /^[A-Z][a-z]{5,8}, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9:]{8} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [0-9]{4}$/,
];

/**
 * `Retry-After` in milliseconds from now, of any length; null for what is neither seconds nor a date,
 * and for a header that is absent or repeated.
 */
export function readRetryAfter(
  header: string | readonly string[] | null | undefined,
  nowMs: number,
): number | null {
  if (typeof header !== 'string') return null;
  if (seconds.test(header)) return Number(header) * 1_000;
  if (!dates.some((form) => form.test(header))) return null;
  const atMs = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
