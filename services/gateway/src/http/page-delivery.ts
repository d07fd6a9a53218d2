/** The outcome of writing a charged response: the writer reports one of the two, once. */
export interface PageDelivery {
  /** No first body byte may be written from then on. */
  readonly deadlineMs: number;
  /** The first body byte is written: the charge is final. */
  delivered(): void;
  /** No body byte was or will be written: the charge is reversed. */
  abandoned(): void;
}
