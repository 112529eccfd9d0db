/** The words that start this program: the executable, or Bun with its entry point. */
export const ownCommand = (): readonly string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
