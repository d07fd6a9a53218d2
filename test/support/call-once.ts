import { type IncomingHttpHeaders, request } from 'node:http';

export interface OneCall {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * One request on a connection of its own. `fetch` shares idle connections between all test files
 * of a worker, and a server closes them while a slow machine loads the next file.
 */
export function callOnce(
  url: string,
  { method, headers, body }: OneCall,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, ...(headers ? { headers } : {}) });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
