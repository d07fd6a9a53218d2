import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Address of the operator API, and the token that it requires. */
export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** There is no operator API to call; the message says how to name one. */
export class NoConnection extends Error {
  override name = 'NoConnection';
}

/**
 * Address and token from the environment, or those of the local stack. Never one from each: a
 * token must not be sent to an address that it does not belong to.
 */
export function findConnection(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Connection {
  const { OPERATOR_URL: url, OPERATOR_TOKEN: token } = environment;
  if (url && token) return { url: checked(url, 'OPERATOR_URL'), token };
  if (url || token) {
    throw new NoConnection('OPERATOR_URL and OPERATOR_TOKEN are needed both, or neither');
  }
  const found = readStackFile(folder);
  if (found) return found;
  throw new NoConnection(
    'no operator API: set OPERATOR_URL and OPERATOR_TOKEN, or start the local stack (npm start)',
  );
}

function readStackFile(folder: string): Connection | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.local', 'stack.json');
    const text = readIfThere(path);
    if (text !== undefined) return connectionOf(text, path);
    if (dirname(at) === at) return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function connectionOf(text: string, path: string): Connection {
  let stack: { operator_url?: unknown; operator_token?: unknown } | null;
  try {
    stack = JSON.parse(text) as typeof stack;
  } catch {
    throw new NoConnection(`${path} is not JSON`);
  }
  const { operator_url: url, operator_token: token } = stack ?? {};
  if (typeof url === 'string' && typeof token === 'string') {
    return { url: checked(url, path), token };
  }
  throw new NoConnection(`${path} names no operator_url and operator_token`);
}

function checked(url: string, source: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new NoConnection(`${source} holds no http address`);
  }
  return url;
}
