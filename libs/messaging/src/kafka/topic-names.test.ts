import { logicalTopic, physicalTopic } from './topic-names.ts';

test('a stack adds its prefix to topic names and removes it again', () => {
  expect(physicalTopic('blue.', 'replies.v1')).toBe('blue.replies.v1');
  expect(logicalTopic('blue.', 'blue.replies.v1')).toBe('replies.v1');
});
