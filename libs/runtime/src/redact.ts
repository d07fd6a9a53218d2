import { stdSerializers } from 'pino';

/** Header and field names whose values never reach a log line, however they are spelt or nested. */
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

/** `x-api-key`, `X_API_KEY`, `serviceTokens`: the last words of a name tell what it holds. */
const redactedPattern = new RegExp(
  `(${redactedNames.map((name) => name.replaceAll(/[-_]/g, '[-_]?')).join('|')})s?$`,
  'i',
);

const censor = '[redacted]';
/** Log lines show no more levels than this either. */
const levelsMax = 6;
const partsMax = 500;

/** A copy of what is logged in which no secret is left. Bounded, whatever it is given. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  let parts = 0;

  function walk(value: unknown, above: readonly object[]): unknown {
    if (typeof value !== 'object' || value === null || hasOwnForm(value)) return value;
    if (above.includes(value)) return '[circular]';
    if (above.length >= levelsMax) return '[deeper]';
    const path = [...above, value];
    if (Array.isArray(value)) return value.slice(0, partsMax).map((item) => walk(item, path));
    // Errors of clients carry what was sent as fields of their own, and causes that do.
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

/** Dates, buffers and ids of a store write themselves. */
function hasOwnForm(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function' || ArrayBuffer.isView(value);
}
