/** When a server that ended is started again: soon at first, then later and later, then not any more. */

const FIRST = 500; // milliseconds
const LONGEST = 30_000; // milliseconds
const SPAN = 180_000; // milliseconds in which ends count
const MOST = 6; // ends in that span; after one more nobody starts it again

export class Backoff {
  private ends: number[] = [];

  /** It ended at this time (milliseconds); returns how long to wait, `undefined` when it is given up. */
  ended(now: number): number | undefined {
    this.ends = [...this.ends.filter((end) => now - end < SPAN), now];
    if (this.ends.length > MOST) return undefined;
    return Math.min(LONGEST, FIRST * 2 ** (this.ends.length - 1));
  }

  /** The user started it: what was before does not count. */
  forget(): void {
    this.ends = [];
  }
}
