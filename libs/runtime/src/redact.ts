import { stdSerializers } from 'pino';

/** Header and field names whose values are redacted in any spelling, at any depth. */
export const redactedNames = [
  'x-api-key',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-service-token',
  'idempotency-key',
  'api_key',
  'apiKey',
  'secret',
  'password',
  'privateKey',
  'token',
] as const;

/** Matches the last words of a name: `x-api-key`, `X_API_KEY`, `serviceTokens`. */
const redactedPattern = new RegExp(
  `(${redactedNames.map((name) => name.replaceAll(/[-_]/g, '[-_]?')).join('|')})s?$`,
  'i',
);

const censor = '[redacted]';
/** Log lines show no more levels. */
const levelsMax = 6;
const partsMax = 500;

/** A bounded copy of the logged fields without secrets. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  let parts = 0;

  function walk(value: unknown, above: readonly object[]): unknown {
    if (typeof value !== 'object' || value === null || hasOwnForm(value)) return value;
    if (above.includes(value)) return '[circular]';
    if (above.length >= levelsMax) return '[deeper]';
    const path = [...above, value];
    if (Array.isArray(value)) return value.slice(0, partsMax).map((item) => walk(item, path));
    // Errors of clients, and their causes, carry the request in fields of their own.
    return copy(value instanceof Error ? stdSerializers.err(value) : value, path);
  }

  function copy(value: object, path: readonly object[]): Record<string, unknown> {
    const copied: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      parts += 1;
      if (parts > partsMax) return copied;
      copied[name] = redactedPattern.test(name) ? censor : walk(inner, path);
    }
    return copied;
  }

  return copy(fields, [fields]);
}

/** Dates, buffers and object ids serialize themselves. */
function hasOwnForm(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function' || ArrayBuffer.isView(value);
}
