import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';

const { counter } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const watchTurns = counter({
  name: 'inventory.watch.turns',
  description: 'Turns of watches: a run was requested, none was made now, or the watch is paused',
  labels: { turn: ['run', 'skip', 'pause'] },
});

export function countTurn(turn: 'run' | 'skip' | 'pause'): void {
  watchTurns.add(1, { turn });
}
