import { instrumentsOf } from './instruments.ts';

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

/** Reports CPU time and memory of the process. */
export function observeProcess(process: Pick<NodeJS.Process, 'cpuUsage' | 'memoryUsage'>): void {
  cpuTime.observe((observe) => {
    const { user, system } = process.cpuUsage();
    observe(user / 1e6, { 'cpu.mode': 'user' });
    observe(system / 1e6, { 'cpu.mode': 'system' });
  });
  memoryUsage.observe((observe) => observe(process.memoryUsage.rss()));
}
