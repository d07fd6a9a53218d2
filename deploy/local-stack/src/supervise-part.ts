import { lastProblem } from './log-file.ts';
import type { Reporter } from './report.ts';
import { shownPath } from './repository-root.ts';
import type { StackPart } from './stack.ts';
import { type Launched, SupervisedProcess, type SupervisionNews } from './supervised-process.ts';

export interface PartOptions {
  readonly label: string;
  readonly launch: () => Promise<Launched>;
  /** Null: somebody else started it and keeps its log. */
  readonly logFile: string | null;
  readonly report: Reporter;
  /** Told when another process took the place of one that ended. */
  readonly onReplaced: () => void;
}

export interface SupervisedPart {
  readonly part: StackPart;
  readonly process: SupervisedProcess;
}

/** A supervised process as the stack shows it, telling people what happens to it. */
export function supervisePart(options: PartOptions): SupervisedPart {
  const process = new SupervisedProcess({
    launch: options.launch,
    onNews: (news) => tell(options, news),
  });
  const part: StackPart = {
    label: options.label,
    get pid() {
      return process.pid;
    },
    get phase() {
      return process.phase;
    },
    kill: (signal) => process.kill(signal),
    takeDown: (how = 'abruptly') => process.stop(how === 'abruptly'),
    bringUp: () => process.start(),
    restart: () => process.restart(),
    pause: () => process.kill('SIGSTOP'),
    resume: () => process.kill('SIGCONT'),
    untilUp: () => process.untilUp(),
  };
  return { part, process };
}

function tell({ label, logFile, report, onReplaced }: PartOptions, news: SupervisionNews): void {
  if (news.kind === 'ended') {
    const problem = logFile === null ? null : lastProblem(logFile);
    const said = problem === null || !news.how.includes('exit code') ? '' : ` (${problem})`;
    const where = logFile === null ? '' : ` Its log: ${shownPath(logFile)}`;
    const delay = `${news.delayMs / 1000} s`;
    const sentence = `${label} ${news.how}${said}; it is started again in ${delay}.${where}`;
    report({ tone: 'trouble', sentence });
    return;
  }
  const took = `${(news.tookMs / 1000).toFixed(1)} s`;
  if (news.again) {
    report({ tone: 'good', sentence: `${label} is ready again after ${took}.` });
    onReplaced();
  } else if (logFile !== null) {
    report({ tone: 'good', sentence: `${label} is ready after ${took}.` });
  }
}
