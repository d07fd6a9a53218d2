import { createHash, createHmac } from 'node:crypto';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';

/** The token of one service of a stack; all follow from one key, so that a stack keeps one. */
export function serviceTokenOf(service: ServiceName, key: string): string {
  return createHmac('sha256', key).update(service).digest('base64url');
}

/** As the setting SERVICE_CALLERS of every service; the routes decide who calls them. */
export function serviceCallers(key: string): string {
  return serviceNames
    .map((service) => `${service}:${digestOf(serviceTokenOf(service, key))}`)
    .join(',');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
