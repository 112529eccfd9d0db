import { isTerminal, writeError } from '../standard-streams.ts';

/** Shows the progress of a long call in one line of the terminal, if stderr is one. */
export const shownProgress = (): { progress?: (done: number, total: number) => void } =>
  isTerminal('stderr') ? { progress: showProgress } : {};

function showProgress(done: number, total: number): void {
  const share = total > 0 ? Math.floor((100 * done) / total) : 100;
  writeError(`\r${share} %${done >= total ? '\r     \r' : ''}`);
}
