import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';

const { counter } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const capturesCompleted = counter({
  name: 'inventory.gateway.captures_completed',
  description: 'Chains of Live Pages sent to be saved as a revision',
});
const captureEnds = ['staging', 'rules', 'store', 'reversed', 'deadline', 'evidence'] as const;
const capturesEnded = counter({
  name: 'inventory.gateway.captures_ended',
  description: 'Chains of Live Pages that stopped capturing, by reason; reading may continue',
  labels: { reason: captureEnds },
});

export function captureCompleted(): void {
  capturesCompleted.add(1);
}

export function chainEnded(reason: (typeof captureEnds)[number]): void {
  capturesEnded.add(1, { reason });
}
