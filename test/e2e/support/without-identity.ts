/** Of a moment: how a limit is used, what is expected. */
const passing = new Set(['rate_limit', 'expected_completed_at', 'seq', 'entryId']);

/**
 * A response or record, so that it can be compared with that of the same steps elsewhere: without ids,
 * times and what is of a moment, and with what differs between the environments as in the live one.
 */
export function withoutIdentity(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutIdentity);
  const kept = Object.entries(value).filter(([name]) => !passing.has(name));
  return Object.fromEntries(
    kept.map(([name, of]) => [
      name,
      /atMs$/i.test(name) && of !== null ? 'time' : withoutIdentity(of),
    ]),
  );
}

function plainText(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/77([12]\d{14})/g, '76$1')
    .replace(/^sandbox$/, 'live')
    .replace(/^accepted$/, 'queued');
}
