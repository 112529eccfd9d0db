export type { Calls as TestmgmtCalls } from './tools/tool-files.ts';
export { descriptionsOf, parentsOfSections, projectOfRecord } from './references/record-project-store.ts';
export {
  classifications,
  everyClassification,
  idFieldOf,
  type Classification,
} from './rules/classification.ts';
export {
  addMovedNames,
  addMovedProject,
  addMovedResults,
  addMovedRuns,
  addMovedSections,
  addMovedTests,
  addMovedValues,
  lastMovedResults,
  movedProject,
  movedRuns,
  movedRunTests,
  movedSections,
  reserveMovedIds,
  settleMovedResults,
  writeMovedRunTests,
  type MovedResult,
} from './moving/moved-store.ts';
export { inMovedOrder } from './moving/moved-sections.ts';
export { csvLine } from './import-files/text/csv.ts';
export { guarded } from './import-files/text/formula-guard.ts';
