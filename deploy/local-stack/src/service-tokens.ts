import { createHmac } from 'node:crypto';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { secretDigest } from '@inventory/runtime/secret-digest';

/** The token of one service of a stack; all follow from one key, so that a stack keeps one. */
export function serviceTokenOf(service: ServiceName, key: string): string {
  return createHmac('sha256', key).update(service).digest('base64url');
}

/** SERVICE_CALLERS of every service of a stack; the routes decide who calls them. */
export function serviceCallers(key: string): string {
  return callersOf(serviceNames.map((service) => [service, serviceTokenOf(service, key)]));
}

/** The value of SERVICE_CALLERS that accepts these tokens, each of a service. */
export function callersOf(tokens: readonly (readonly [service: string, token: string])[]): string {
  return tokens.map(([service, token]) => `${service}:${secretDigest(token)}`).join(',');
}
