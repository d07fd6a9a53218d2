/**
 * An entry cannot follow what an account holds. Either a command was judged as new that has an
 * entry not known here, or there is a fault of ours; nothing is written.
 */
export class LedgerConflict extends RangeError {
  override name = 'LedgerConflict';
}
