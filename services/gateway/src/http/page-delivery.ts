/** The outcome of writing a charged answer: the writer reports one of the two, once. */
export interface PageDelivery {
  /** No first body byte may be written from here on. */
  readonly deadlineMs: number;
  /** The first body byte is written: the charge stands. */
  delivered(): void;
  /** No body byte was or will be written: the charge is undone. */
  abandoned(): void;
}
