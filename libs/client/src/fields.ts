/** A JSON object whose shape is not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; null where it is none. */
export function fieldsIn(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
