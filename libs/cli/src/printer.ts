import type { CliProcess } from './cli-process.ts';

/** Writes what a command has to say: results to standard output, all else to standard error. */
export interface Printer {
  /** One result: a line of JSON with `--json`, the text for people otherwise. */
  result(record: unknown, text: string): Promise<void>;
  /** A line for people; with `--json` the record, if there is one. */
  note(text: string, record?: unknown): void;
  /**
   * How far the command is: a line that is replaced on a terminal; elsewhere `step` as a line of its
   * own, where it differs from the one before.
   */
  progress(line: (columns: number) => string, step: string): void;
  /** Removes the line of the progress. */
  clear(): void;
}

const clearLine = '\r\u001b[K';

export function createPrinter(
  { write, writeError, errorColumns }: CliProcess,
  isJson: boolean,
): Printer {
  let isLineOpen = false;
  let lastStep = '';
  const clear = () => {
    if (isLineOpen) writeError(clearLine);
    isLineOpen = false;
  };
  return {
    clear,
    async result(record, text) {
      clear();
      await write(`${isJson ? jsonLine(record) : plainText(text)}\n`);
    },
    note(text, record) {
      clear();
      if (!isJson) writeError(`${plainText(text)}\n`);
      else if (record !== undefined) writeError(`${jsonLine(record)}\n`);
    },
    progress(line, step) {
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
