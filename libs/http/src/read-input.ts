import type { IncomingMessage } from 'node:http';
import { withLowerUuid } from './lower-uuid.ts';
import { hasBody, readBytes, readJson } from './read-body.ts';
import { targetOf } from './request-target.ts';
import type { Endpoint, RawInput } from './route.ts';

const bodyBytesMaxDefault = 16 * 1024;

/**
 * Collects the parts of a request; the body is read where the endpoint has a schema for it. Where it may
 * be omitted, a request without one counts as one whose body is `{}`.
 */
export async function readInput(
  request: IncomingMessage,
  endpoint: Endpoint,
  path: RawInput['path'],
  mayOmitBody: boolean,
): Promise<RawInput> {
  return {
    path,
    query: queryOf(request),
    headers: request.headersDistinct,
    body: endpoint.input.body && (await readBody(request, endpoint, mayOmitBody)),
  };
}

function queryOf({ url }: IncomingMessage): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(targetOf(url).query)) {
    query.append(name, withLowerUuid(value));
  }
  return query;
}

async function readBody(
  request: IncomingMessage,
  { bodyType = 'json', bodyBytesMax = bodyBytesMaxDefault }: Endpoint,
  mayOmitBody: boolean,
): Promise<unknown> {
  if (bodyType === 'bytes') return await readBytes(request, bodyBytesMax);
  if (!hasBody(request)) return mayOmitBody ? {} : undefined;
  return await readJson(request, bodyBytesMax);
}
