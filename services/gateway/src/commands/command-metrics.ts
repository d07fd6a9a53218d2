import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';

const { gauge } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const waitingReplies = gauge({
  name: 'inventory.gateway.replies_waiting',
  description: 'Requests of this replica that wait for a reply',
});

/** Reports the replies awaited by this replica until the returned function is called. */
export function observeWaitingReplies(count: () => number): () => void {
  return waitingReplies.observe((observe) => observe(count()));
}
