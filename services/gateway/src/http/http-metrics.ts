import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';

const { counter } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const unknownKeysRefused = counter({
  name: 'inventory.gateway.unknown_keys_refused',
  description: 'Requests with an unknown key that were refused without a look-up',
});
const connectionLimits = ['peer', 'total'] as const;
const connectionsRefused = counter({
  name: 'inventory.gateway.connections_refused',
  description:
    'Connections to the public port that were closed at once, by the limit that they exceed',
  labels: { limit: connectionLimits },
});

export function unknownKeyRefused(): void {
  unknownKeysRefused.add(1);
}

export function connectionRefused(limit: (typeof connectionLimits)[number]): void {
  connectionsRefused.add(1, { limit });
}
