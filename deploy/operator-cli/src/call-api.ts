import { request } from 'undici';
import type { ApiRequest } from './command.ts';
import type { Connection } from './connection.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  readonly nextCursor: string | undefined;
}

/** The operator API did not answer. */
export class ApiUnreachable extends Error {
  override name = 'ApiUnreachable';
}

const standardTimeoutMs = 30_000;

/** One call of the operator API; redirects are not followed, the token stays where it belongs. */
export async function callApi(connection: Connection, call: ApiRequest): Promise<ApiAnswer> {
  const { timeoutMs = standardTimeoutMs } = connection;
  const base = connection.url.endsWith('/') ? connection.url : `${connection.url}/`;
  const url = new URL(`operator/v1${call.path}`, base);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  try {
    const answer = await request(url, {
      method: call.method,
      headers: {
        authorization: `Bearer ${connection.token}`,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: AbortSignal.timeout(call.timeoutMs ?? timeoutMs),
    });
    const next = answer.headers['x-next-cursor'];
    return {
      status: answer.statusCode,
      text: await answer.body.text(),
      nextCursor: typeof next === 'string' ? next : undefined,
    };
  } catch (error) {
    throw new ApiUnreachable(`${url.origin} does not answer`, { cause: error });
  }
}
