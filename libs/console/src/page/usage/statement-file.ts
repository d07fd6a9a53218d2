import type { Api } from '../api/call-api.ts';

const pageLimit = 100;

/** The statement since a day as CSV, page after page: each but the first without its header. */
export async function statementFile(api: Api, from: string): Promise<Blob> {
  const parts: string[] = [];
  let path: string | null =
    `/v2/account/statement?${new URLSearchParams({ from: `${from}T00:00:00Z`, limit: String(pageLimit) })}`;
  while (path !== null) {
    const [text, link]: [string, string] = await api.read(
      { path, accept: 'text/csv' },
      async (response) => [await response.text(), response.headers.get('Link') ?? ''],
    );
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1));
    path = /<([^>]+)>; rel="next"/.exec(link)?.[1] ?? null;
  }
  return new Blob(parts, { type: 'text/csv' });
}
