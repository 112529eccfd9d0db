import type { Classification } from '../../testmgmt/index.ts';

/**
 * The names that a new Checkmate gives to its first ids, from 1 (`app/db/seed/seedData` of Checkmate). Its documentation and scripts write
 * these ids as numbers. Without the ones that no project of Trivet has by itself.
 */
const seeded: Readonly<Partial<Record<Classification, readonly string[]>>> = {
  priority: ['Critical', 'High', 'Medium', 'Low'],
  automationStatus: ['Not automatable', 'Automated', 'Automatable'],
  type: ['Functional'],
  testCoveredBy: ['Manual', 'End to end', 'Unit', 'Integration'],
};

/** @returns the name that an id means in a new Checkmate; undefined where it means none. */
export const seededName = (kind: Classification, id: number): string | undefined => seeded[kind]?.[id - 1];
