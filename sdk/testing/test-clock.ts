/** A clock that stands until it is advanced, with timers. */
export function testClock(start: number) {
  interface Timer {
    readonly at: number;
    readonly work: () => void;
  }
  let time = start;
  const timers = new Set<Timer>();
  const next = (until: number): Timer | undefined =>
    Array.from(timers)
      .filter(({ at }) => at <= until)
      .sort((left, right) => left.at - right.at)[0];
  return {
    now: () => time,
    later(milliseconds: number, work: () => void): () => void {
      const timer: Timer = { at: time + milliseconds, work };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    /** Runs the timers that are due on the way, in their order. */
    advance(milliseconds: number): void {
      const until = time + milliseconds;
      for (let timer = next(until); timer; timer = next(until)) {
        timers.delete(timer);
        time = Math.max(time, timer.at);
        timer.work();
      }
      time = until;
    },
  };
}
