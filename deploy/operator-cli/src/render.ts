type Json = Readonly<Record<string, unknown>>;

/** A response for people: a list as a table, anything else as one line per field. */
export function renderResponse(response: unknown, columns: readonly string[] | undefined): string {
  if (!isRecord(response)) return `${JSON.stringify(response)}\n`;
  const items = response['items'];
  if (columns && Array.isArray(items)) return `${renderList(items, columns, response)}\n`;
  return `${renderRecord(response).join('\n')}\n`;
}

/** Rows as lines with their columns one under another. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function renderList(items: readonly unknown[], columns: readonly string[], response: Json): string {
  if (items.length === 0) return 'none';
  const next = response['next_cursor'];
  const more = typeof next === 'string' ? ['', `more: --cursor ${next}`] : [];
  return [...table(items, columns), ...more].join('\n');
}

function renderRecord(record: Json): string[] {
  const flat = Object.entries(record).flatMap(([name, value]) =>
    isRecord(value)
      ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of] as const)
      : [[name, value] as const],
  );
  const fields = flat.filter(([, value]) => !isTable(value));
  const tables = flat.filter(([, value]) => isTable(value));
  return [
    ...alignColumns(fields.map(([name, value]) => [name, cellText(value)])),
    ...tables.flatMap(([name, value]) => ['', `${name}:`, ...table(value as Json[])]),
  ];
}

function table(items: readonly unknown[], columns?: readonly string[]): string[] {
  const rows = items.filter(isRecord);
  const shown = columns ?? Object.keys(rows[0] ?? {});
  const header = shown.map((column) => column.toUpperCase());
  return alignColumns([header, ...rows.map((row) => shown.map((column) => cellText(row[column])))]);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
