import { gauge, histogram } from '@inventory/runtime/instruments';

/** Of requests to the platform. */
export const platformBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const platformResponses = histogram({
  name: 'inventory.platform.request.duration',
  description: 'Platform responses by their meaning',
  unit: 's',
  labels: {
    response: [
      'page',
      'private',
      'not_found',
      'throttled',
      'blocked',
      'bad_request',
      'too_large',
      'unreachable',
      'fault',
      'refused',
    ],
    purpose: ['scan', 'live'],
  },
  buckets: platformBuckets,
});
export const identityWaits = gauge({
  name: 'inventory.identity.waits',
  description: 'Page requests of this replica that wait for an egress slot',
});
export const openBreakers = gauge({
  name: 'inventory.app_breaker.open',
  description:
    'Applications of the platform whose circuit breaker is open; all replicas report the same',
});
