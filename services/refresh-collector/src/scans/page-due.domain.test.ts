import { pageDueMs } from './page-due.domain.ts';

const scan = { startedAtMs: 1_000, deadlineMs: 3_601_000 };
const unknown = { ...scan, isSizeKnown: false };

test('a page is due by the deadline of its scan, and at once where it reports an unknown size', () => {
  expect(pageDueMs({ ...scan, isSizeKnown: true }, 0)).toBe(scan.deadlineMs);
  expect(pageDueMs(unknown, 0)).toBe(scan.startedAtMs);
});

test('a retry is due by the deadline: the plan reserves one page that is read at once', () => {
  expect(pageDueMs(unknown, 1)).toBe(scan.deadlineMs);
});
