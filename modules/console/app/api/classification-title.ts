import type { Classification } from '../../../testmgmt/rules/classification.ts';
import { noun, t, type Noun } from '../texts/text.ts';

/** The names of classifications in a sentence. */
export const classificationNouns: Readonly<Record<Classification, Noun>> = {
  priority: noun('priority', 'priorities'),
  type: noun('type', 'test types'),
  automationStatus: noun('automation status', 'automation statuses'),
  platform: noun('platform'),
  testCoveredBy: noun('coverage type'),
};

const titles: Readonly<Record<Classification, string>> = {
  priority: t('Priority'),
  type: t('Type'),
  automationStatus: t('Automation status'),
  platform: t('Platform'),
  testCoveredBy: t('Coverage type'),
};

/** The name of a classification at the beginning of a line. */
export const classificationTitle = (kind: Classification): string => titles[kind];
