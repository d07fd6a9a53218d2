import { StopStages } from './stop-stages.ts';

test('what was added last ends first, and a stage waits for all of the one after it', async () => {
  const order: string[] = [];
  const stages = new StopStages();
  stages.add(async () => void order.push('Kafka'));
  stages.nextStage();
  stages.add(async () => {
    await new Promise(setImmediate);
    order.push('gateway');
  });
  stages.add(async () => void order.push('simulator'));

  await stages.stop(false);

  expect(order).toEqual(['simulator', 'gateway', 'Kafka']);
});

test('one that cannot be ended keeps nothing else running', async () => {
  const ended: string[] = [];
  const stages = new StopStages();
  stages.add(async () => void ended.push('Kafka'));
  stages.nextStage();
  stages.add(() => Promise.reject(new Error('it hangs')));

  await expect(stages.stop(false)).rejects.toThrow('it hangs');

  expect(ended).toEqual(['Kafka']);
});
