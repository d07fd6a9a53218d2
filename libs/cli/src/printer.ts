import type { CliProcess } from './cli-process.ts';

export type Printer = ReturnType<typeof createPrinter>;

const clearLine = '\r\u001b[K';

/** Writes what a command has to say: results to standard output, all else to standard error. */
export function createPrinter({ write, writeError, errorColumns }: CliProcess, isJson: boolean) {
  let isLineOpen = false;
  let lastStep = '';
  const clear = () => {
    if (isLineOpen) writeError(clearLine);
    isLineOpen = false;
  };
  return {
    /** Removes the line of the progress. */
    clear,
    /** One result: a line of JSON with `--json`, the text for people otherwise. */
    async result(record: unknown, text: string): Promise<void> {
      clear();
      await write(`${isJson ? jsonLine(record) : plainText(text)}\n`);
    },
    /** A line for people; with `--json` the record, if there is one. */
    note(text: string, record?: unknown): void {
      clear();
      if (!isJson) writeError(`${plainText(text)}\n`);
      else if (record !== undefined) writeError(`${jsonLine(record)}\n`);
    },
    /** A line that is replaced on a terminal; elsewhere `step`, where it is another one than before. */
    progress(line: (columns: number) => string, step: string): void {
      const columns = errorColumns();
      if (columns !== undefined) {
        writeError(`${clearLine}${plainText(line(columns)).slice(0, columns - 1)}`);
        isLineOpen = true;
      } else if (!isJson && step !== lastStep) {
        lastStep = step;
        writeError(`${plainText(step)}\n`);
      }
    },
  };
}

/** Without what a terminal executes or what reorders a line; texts of the platform have anything. */
function plainText(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '\ufffd');
}

/** On one line, with escapes for what a terminal executes. */
function jsonLine(record: unknown): string {
  return JSON.stringify(record).replace(/[\u007f-\u009f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}
