import { deepStrictEqual } from 'node:assert';
import { z } from 'zod';

/** A body of the wire as it was sent, once its schema accepts it and declares each of its fields. */
export function asSent<Schema extends z.ZodType>(schema: Schema, value: unknown): z.input<Schema> {
  const sent = value as z.input<Schema>;
  const again = JSON.stringify(z.encode(schema, z.decode(schema, sent)));
  deepStrictEqual(JSON.parse(again), value);
  return sent;
}
