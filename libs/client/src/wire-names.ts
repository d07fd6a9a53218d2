/** The name of a field or a parameter of a request: `maxCredits` is `max_credits`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The body of a request as JSON. No field of one is a free map. */
export function bodyText(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, field]) => [wireName(name), field])),
  );
}
