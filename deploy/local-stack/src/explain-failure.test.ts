import { SetupError } from '@inventory/backends/setup-error';
import { explainFailure } from './explain-failure.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: write`), { code });
}

test.each([
  [new SetupError('Java is missing.', 'Install it.'), 'Java is missing. Install it.'],
  [systemError('ENOSPC'), 'The disk is full: free about 2 GB and run again.'],
])('%p is shown as a sentence with its hint and without a stack', (error, sentence) => {
  expect(explainFailure(error)).toBe(sentence);
});

test('an unexpected error keeps its stack, which a bug report needs', () => {
  expect(explainFailure(new Error('odd'))).toContain('explain-failure.test');
});
