import { gatherWrites } from './gather-writes.ts';

test('items of calls during a write are the next write, and each call ends with its own write', async () => {
  const writes: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const add = gatherWrites<number>(
    (items) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ items, end: (error) => (error ? reject(error) : resolve()) });
      }),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  const first = add(1);
  await turn();
  const [second, third] = [add(2), add(3)];
  await turn();
  expect(writes.map(({ items }) => items)).toEqual([[1]]);
  writes[0]?.end(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await turn();
  writes[1]?.end();
  await Promise.all([second, third]);

  expect(writes.map(({ items }) => items)).toEqual([[1], [2, 3]]);
});
