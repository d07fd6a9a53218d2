/** One sentence on the screen, with a mark in front of it. */
export interface Report {
  readonly tone: 'step' | 'good' | 'trouble';
  readonly sentence: string;
}

/** Standard output, in lines. */
export interface Screen {
  /** Without a text: a blank line. */
  line(text?: string): void;
  heading(text: string): void;
  report(report: Report): void;
}

export interface ScreenOptions {
  readonly write: (text: string) => void;
  /** Whether standard output is a terminal that shows colours. */
  readonly colours: boolean;
}

const marks: Readonly<Record<Report['tone'], string>> = { step: '·', good: '✓', trouble: '!' };
const colourOf: Readonly<Record<Report['tone'], number>> = { step: 90, good: 32, trouble: 33 };
const bold = 1;

export function createScreen({ write, colours }: ScreenOptions): Screen {
  const painted = (text: string, code: number): string =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    line: (text = '') => write(`${text}\n`),
    heading: (text) => write(`\n${painted(text, bold)}\n`),
    report: ({ tone, sentence }) => write(`${painted(marks[tone], colourOf[tone])} ${sentence}\n`),
  };
}

/** 12,345 */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 credit`, `2 credits` */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
