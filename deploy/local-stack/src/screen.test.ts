import { counted, createScreen } from './screen.ts';

function shown(colours: boolean): { text: () => string } & ReturnType<typeof createScreen> {
  let text = '';
  const screen = createScreen({
    write: (part) => {
      text += part;
    },
    colours,
  });
  return { ...screen, text: () => text };
}

test('a pipe gets plain lines without any control character', () => {
  const screen = shown(false);
  screen.heading('Starting');
  screen.report({ tone: 'trouble', sentence: 'gateway was ended by SIGKILL.' });

  expect(screen.text()).toBe('\nStarting\n! gateway was ended by SIGKILL.\n');
});

test('on a terminal a line of trouble stands out', () => {
  const screen = shown(true);
  screen.report({ tone: 'trouble', sentence: 'gateway was ended by SIGKILL.' });

  expect(screen.text()).toContain('\u001b[33m!\u001b[0m');
});

test('numbers are readable', () => {
  expect(counted(4_001, 'asset')).toBe('4,001 assets');
  expect(counted(1, 'credit')).toBe('1 credit');
});
