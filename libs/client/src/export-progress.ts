/** How far an export is: `row` and `observationId` are the `fromRow` and the option that continue it. */
export interface ExportProgress {
  readonly row: number;
  /** Rows of the whole inventory. */
  readonly rows: number;
  readonly revisionId: string;
  readonly observationId: string;
}
