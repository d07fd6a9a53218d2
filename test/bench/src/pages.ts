import { Agent, request } from 'undici';

/** Reads the same address again and again; rejects where the status is not 200. */
export function openPages(
  url: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
) {
  const dispatcher = new Agent({ connections, pipelining: 1 });
  return {
    async read(): Promise<Buffer> {
      const { statusCode, body } = await request(url, { dispatcher, headers });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${bytes}`);
      return bytes;
    },
    close: () => dispatcher.close(),
  };
}
