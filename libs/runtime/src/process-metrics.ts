import { instrumentsOf } from './instruments.ts';
import { droppedLogLines } from './logger.ts';
import { observeNode } from './node-metrics.ts';

const { gauge, observedCounter } = instrumentsOf();

const cpuTime = observedCounter({
  name: 'process.cpu.time',
  description: 'CPU time of the process',
  unit: 's',
  labels: { 'cpu.mode': ['user', 'system'] },
});
const memoryUsage = gauge({
  name: 'process.memory.usage',
  description: 'Physical memory of the process',
  unit: 'By',
});
const logLinesDropped = observedCounter({
  name: 'inventory.log.lines_dropped',
  description: 'Log lines dropped while standard output accepted none',
});

/** Reports CPU time and memory of the process, its event loop, and what its log lacks. */
export function observeProcess(process: Pick<NodeJS.Process, 'cpuUsage' | 'memoryUsage'>): void {
  observeNode();
  cpuTime.observe((observe) => {
    const { user, system } = process.cpuUsage();
    observe(user / 1e6, { 'cpu.mode': 'user' });
    observe(system / 1e6, { 'cpu.mode': 'system' });
  });
  memoryUsage.observe((observe) => observe(process.memoryUsage.rss()));
  logLinesDropped.observe((observe) => observe(droppedLogLines()));
}
