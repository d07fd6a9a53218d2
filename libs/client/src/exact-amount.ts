/** A reviver with the source text of numbers (ES2025); older type libraries lack it. */
type SourceReviver = (
  key: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;
type ParseWithSource = (text: string, reviver: SourceReviver) => unknown;

const parseWithSource = JSON.parse as ParseWithSource;

/**
 * `data.total_amount` of a body with every digit. A safe integer is exact; beyond 2^53 the body is
 * parsed again for the source text of the number.
 */
export function exactTotalAmount(totalAmount: unknown, text: string): bigint | null {
  if (typeof totalAmount !== 'number') return null;
  if (Number.isSafeInteger(totalAmount)) return BigInt(totalAmount);
  const body = parseWithSource(text, (key, value, { source }) =>
    key === 'total_amount' && source !== undefined ? source : value,
  ) as { data: { total_amount: unknown } };
  const digits = body.data.total_amount;
  return typeof digits === 'string' && /^[0-9]+$/.test(digits) ? BigInt(digits) : null;
}
