/** The words that start this program: the executable, or Bun with its entry point. */
export const ownCommand = (): readonly string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
