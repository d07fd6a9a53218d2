/** Receives what happens as one sentence for the screen. */
export type OnProgress = (sentence: string, tone: 'step' | 'good' | 'trouble') => void;
