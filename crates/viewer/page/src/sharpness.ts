// How finely pictures are drawn. Where drawing is slow (software rendering, a large window), what moves is drawn with
// fewer pixels; what stands still is drawn in full.

/** Milliseconds between pictures that are too many, and few enough to try more pixels. */
const SLOW = 50;
const FAST = 20;
/** Milliseconds of slow pictures in a row, and number of fast ones, that decide. */
const ENOUGH = 400;
const MANY = 120;
/** Longer pauses tell nothing: the page was hidden. */
const PAUSE = 10_000;
/** Of the pixels along a side. */
const STEP = 0.7;
const LEAST = 0.5;

export class Sharpness {
  /** Of the pixels along a side, for what moves. */
  share = 1;
  private slow = 0;
  private fast = 0;
  private patience = MANY;

  /** A picture was drawn, and the one before so long ago [ms], at the tick before. */
  drawn(since: number): void {
    this.slow = since > SLOW && since < PAUSE ? this.slow + since : 0;
    this.fast = since < FAST ? this.fast + 1 : 0;
    if (this.slow > ENOUGH && this.share > LEAST) {
      this.share = Math.max(this.share * STEP, LEAST);
      // More pixels are tried again, later each time that it was too early.
      this.patience *= 2;
    } else if (this.fast > this.patience && this.share < 1) {
      this.share = Math.min(this.share / STEP, 1);
    } else return;
    this.slow = this.fast = 0;
  }
}
