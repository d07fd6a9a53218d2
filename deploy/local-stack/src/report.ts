/** One line for the people at the screen. */
export interface Report {
  readonly tone: 'step' | 'good' | 'trouble';
  readonly sentence: string;
}

export type Reporter = (report: Report) => void;
