import { isInEveryObject } from './app-event.ts';
import { checkFilters, isFields, isText, type Reads, type ReportProblem } from './filter-check.ts';

export interface TransitionPath {
  readonly from: string;
  readonly to: string;
  readonly filters: unknown;
  readonly path: string;
  readonly fromPath: string;
}

const readsInApp: Reads = (type, value) => type !== 'number' || !Number.isNaN(Number(value));

/** Apps treat an empty object as no filter. */
const hasFilters = (filters: unknown): boolean =>
  filters !== undefined && filters !== null && !(isFields(filters) && Object.keys(filters).length === 0);
export function checkTransitions(stateTransition: unknown, report: ReportProblem): readonly TransitionPath[] {
  const moves: TransitionPath[] = [];
  for (const [event, byState] of fieldsOf(stateTransition, 'stateTransition', report)) {
    const eventPath = `stateTransition.${event}`;
    if (isInEveryObject(event)) {
      report(
        eventPath,
        'is the name of a member of every JavaScript object: it would stop all CTAs of the tenant in apps',
      );
    }
    for (const [from, list] of fieldsOf(byState, eventPath, report)) {
      const fromPath = `${eventPath}.${from}`;
      if (!Array.isArray(list)) {
        report(fromPath, 'must be an array of {transitionTo, filters?}');
        continue;
      }
      for (const [index, transition] of (list as unknown[]).entries()) {
        const path = `${fromPath}[${index}]`;
        const { transitionTo, filters } = isFields(transition) ? transition : {};
        if (isText(transitionTo)) moves.push({ from, to: transitionTo, filters, path, fromPath });
        else report(`${path}.transitionTo`, 'must be a non-empty string');
        if (hasFilters(filters)) checkFilters(filters, `${path}.filters`, report, readsInApp);
      }
    }
  }
  return moves;
}

/** The transitions of a rule that have both a start and an end. Does not throw for any input. */
export const transitionPathsOf = (stateTransition: unknown): readonly TransitionPath[] =>
  checkTransitions(stateTransition, () => undefined);
function fieldsOf(value: unknown, path: string, report: ReportProblem): [string, unknown][] {
  if (isFields(value)) return Object.entries(value);
  report(path, 'must be an object');
  return [];
}
