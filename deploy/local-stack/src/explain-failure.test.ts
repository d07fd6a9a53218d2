import { ProvisionError } from '@inventory/backends/provision-error';
import { explainFailure } from './explain-failure.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: write`), { code });
}

test.each([
  [new ProvisionError('Java is missing: install it.'), 'Java is missing: install it.'],
  [systemError('ENOSPC'), 'The disk is full: free about 2 GB and run again.'],
])('%p is told as a sentence with its fix and without a stack', (error, sentence) => {
  expect(explainFailure(error)).toBe(sentence);
});

test('what nobody foresaw keeps its stack, which a bug report needs', () => {
  expect(explainFailure(new Error('odd'))).toContain('explain-failure.test');
});
