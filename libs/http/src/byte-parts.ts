import { freeBytes } from '@inventory/runtime/free-bytes';

/** The bytes of parts, which are read no more: where there are several, they are copied and freed. */
export function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = Buffer.concat(parts);
  for (const part of parts) freeBytes(part);
  return whole;
}

export function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
