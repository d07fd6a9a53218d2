import { dueAgainAtMs } from './pending-command.domain.ts';

test('a command is sent again after 10 s, then every 20 s, until its owner answers', () => {
  expect(dueAgainAtMs({ epoch: 0 }, 1_000)).toBe(11_000);
  expect(dueAgainAtMs({ epoch: 1 }, 1_000)).toBe(21_000);
  expect(dueAgainAtMs({ epoch: 7 }, 1_000)).toBe(21_000);
});
