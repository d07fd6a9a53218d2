import { createUser } from '../test/run-line.ts';

const user = createUser(() => 'http://unused.test');
afterAll(() => user.remove());

async function completed(...words: readonly string[]): Promise<string[]> {
  const { code, out, err } = await user.run(['complete', '--', ...words]);
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').filter((word) => word !== '');
}

test.each([
  [['w'], ['watch']],
  [
    ['watch', ''],
    ['put', 'list', 'runs', 'delete', 'help', '--help'],
  ],
  [['watch', 'put', '76100000000000001', '--app', '730', '--max'], ['--max-credits-per-day']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', '--help'],
  ],
  [
    ['events', '--f'],
    ['--from', '--follow'],
  ],
  [['unknown', 'x'], []],
])('%j is completed from the command tree', async (words, expected) => {
  expect(await completed(...words)).toEqual(expected);
});

test('every command is proposed but the one that completes', async () => {
  const words = await completed('');

  expect(words).toEqual(
    expect.arrayContaining(['login', 'refresh', 'export', 'listen', '--version']),
  );
  expect(words).not.toContain('complete');
});
