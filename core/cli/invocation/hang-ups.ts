/** The hang-ups (SIGHUP) of a server, from the beginning of its process on. */
export interface HangUps {
  /**
   * Calls `act` at each one, and at once if there was one while nothing listened.
   * @returns a function that ends it. Later ones wait for who listens next.
   */
  listen(act: () => void): () => void;
}

/**
 * Holds the hang-ups of this process. Without a handler the first one would end it: while it migrates, while a standby waits for its first
 * replica, or while requests are drained. systemd takes that for an end in order, and starts nothing again.
 */
export function holdHangUps(): HangUps {
  let listener: (() => void) | undefined;
  let isWaiting = false;
  process.on('SIGHUP', () => {
    if (listener) listener();
    else isWaiting = true;
  });
  return {
    listen: (act) => {
      listener = act;
      if (isWaiting) act();
      isWaiting = false;
      return () => {
        listener = undefined;
      };
    },
  };
}
