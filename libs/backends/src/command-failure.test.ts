import { explainFailure } from './command-failure.ts';

test.each([
  ['pip', 'OSError: [Errno 28] No space left on device', 'the disk is full'],
  [
    'Maven',
    'Could not transfer artifact x from central: repo.example: Name or service not known',
    'could not be reached',
  ],
  ['pip', 'ERROR: No matching distribution found for SecantusDB==0.6.0b17', 'withdrawn'],
  [
    'Python',
    'The virtual environment was not created because ensurepip is not available.',
    'venv module is missing',
  ],
])('%s printing %p is explained', (program, output, words) => {
  const sentence = explainFailure(program, { kind: 'ended', code: 1, output });

  expect(sentence).toContain(program);
  expect(sentence).toContain(words);
});

test('an unknown failure shows the last lines of the output only', () => {
  const output = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');

  const sentence = explainFailure('pip', { kind: 'ended', code: 101, output });

  expect(sentence).toContain('exit code 101');
  expect(sentence).toContain('line 99');
  expect(sentence).not.toContain('line 80');
});
