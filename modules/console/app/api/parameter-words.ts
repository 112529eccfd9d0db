import { everyClassification, idFieldOf } from '../../../testmgmt/rules/classification.ts';
import { t, wordIn } from '../texts/text.ts';
import { classificationTitle } from './classification-title.ts';

/*
 * A refusal names the parameters of a tool (`dueOn`, `fields.weight`); a person sees a form with labels. Sentences of which there are few
 * are translated whole.
 */

/** What the forms call a parameter or a field of a record, where it has one label in all of them. */
const labels: Readonly<Record<string, string>> = {
  id: t('Id'),
  name: t('Name'),
  testName: t('Name'),
  runName: t('Name'),
  milestoneName: t('Name'),
  planName: t('Name'),
  projectName: t('Name'),
  sectionName: t('Name'),
  description: t('Description'),
  testDescription: t('Description'),
  runDescription: t('Description'),
  preconditions: t('Preconditions'),
  sectionId: t('Section'),
  squadId: t('Squad'),
  estimateSeconds: t('Estimate in seconds'),
  labels: t('Labels'),
  steps: t('Steps'),
  fields: t('Own fields'),
  deleted: t('Deleted'),
  testId: t('Test'),
  links: t('Links'),
  linkTemplates: t('Links to other systems'),
  linkKey: t('Defect'),
  reason: t('Why'),
  ownerId: t('Who repairs it'),
  until: t('Last day'),
  assignTo: t('Assigned to'),
  values: t('Values'),
  status: t('Status'),
  state: t('State'),
  verdict: t('Verdict'),
  review: t('Reviews'),
  milestoneId: t('Milestone'),
  parentMilestoneId: t('Part of'),
  parentSectionId: t('Part of'),
  tags: t('Tags'),
  team: t('Team'),
  startTime: t('Start'),
  endTime: t('End'),
  behaviourTagName: t('Behaviour tag'),
  rule: t('Rule'),
  experiment: t('Experiment'),
  startOn: t('First day'),
  dueOn: t('Last day'),
  ...Object.fromEntries(everyClassification.map((kind) => [idFieldOf[kind], classificationTitle(kind)])),
};

/** The title of a field of a record, for a person. */
export const titleOfField = (field: string): string => wordIn(labels, field);

/** What a sentence of the server says of one parameter, or of two. */
const sentences: ReadonlyArray<readonly [pattern: RegExp, said: (field: string, other: string) => string]> = [
  [
    /^(\S{1,80}) is before (\S{1,80})\.$/,
    (field, other) => t('"{field}" is before "{other}".', { field, other }),
  ],
  [/^(\S{1,80}) is required\.?$/, (field) => t('"{field}" is required.', { field })],
  [
    /^(\S{1,80}) is required and cannot be cleared\.?$/,
    (field) => t('"{field}" is required and cannot be cleared.', { field }),
  ],
  [/^(\S{1,80}) must be a number\.?$/, (field) => t('"{field}" must be a number.', { field })],
  [
    /^(\S{1,80}) must be a day, e\.g\. (\S{10})\.?$/,
    (field, example) => t('"{field}" must be a day, e.g. {example}.', { field, example: example }),
  ],
  [
    /^(\S{1,80}) must be an address that begins with https:\/\/ or http:\/\/\.?$/,
    (field) => t('"{field}" must be an address that begins with https:// or http://.', { field }),
  ],
  [
    /^(\S{1,80}) must be the id of a user, from get-all-users\.?$/,
    (field) => t('"{field}" must be a person of the organization.', { field }),
  ],
];

/** @returns the label of a parameter; undefined: it has none. */
export type LabelOf = (parameter: string) => string | undefined;

/**
 * The label of a parameter, also of a field of the project's own.
 * @param nameOf the name of an own field by its key.
 */
export const labelOf =
  (nameOf: (key: string) => string | undefined): LabelOf =>
  (parameter) => {
    const [, key] = /^(?:set\.|tests\[\d{1,6}\]\.)?fields\.([a-z][a-z0-9_-]*)$/.exec(parameter) ?? [];
    if (key !== undefined) return nameOf(key);
    // One word is also a word of a sentence: "the status", "the name".
    return /[A-Z]/.test(parameter) && Object.hasOwn(labels, parameter) ? labels[parameter] : undefined;
  };

/** The pattern of a name, e.g. `^[A-Za-z0-9_.:-]{1,64}$`: its signs besides letters and digits, and how long it may be. */
const nameForm =
  /^(\S{1,80}) must match \^(?:\[\S{1,30}\]\*?)?\[A-Za-z0-9([^\s\]]{1,20})\](?:\*|\{1,(\d{1,4})\})\$\.?$/;

/** What a name may consist of, where the server names a regular expression. */
function nameRule(sentence: string): string | undefined {
  const [, parameter, signs = '', most] = nameForm.exec(sentence) ?? [];
  if (parameter === undefined) return undefined;
  const field = Object.hasOwn(labels, parameter) ? titleOfField(parameter) : parameter;
  const allowed = [...signs].join(' ');
  return most === undefined
    ? t('"{field}" may have only letters from A to Z, digits and {allowed}', { field, allowed })
    : t('"{field}" may have at most {most} characters: letters from A to Z, digits and {allowed}', {
        field,
        most,
        allowed,
      });
}

/** One sentence with the labels of its form. */
function labelled(sentence: string, label: LabelOf): string {
  const rule = nameRule(sentence);
  if (rule !== undefined) return `${rule}.`;
  for (const [pattern, said] of sentences) {
    const [, one = '', other = ''] = pattern.exec(sentence) ?? [];
    const field = label(one);
    if (field !== undefined) return said(field, label(other) ?? other);
  }
  return sentence.replaceAll(/\b[a-z]\w*(?:\.[a-z][a-z0-9_-]*)?/g, (word) => {
    const name = /[A-Z.]/.test(word) ? label(word) : undefined;
    return name === undefined ? word : `"${name}"`;
  });
}

/** A refusal with the labels of the form instead of parameters: `fields.weight must be a number; …`. */
export function withLabels(message: string, label: LabelOf): string {
  const parts = message.split('; ');
  const said = parts.map((part) => labelled(part, label));
  if (said.every((part, at) => part === parts[at])) return message;
  const whole = [...new Set(said.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`)))];
  // Every test has the same fault: that there are more of them says nothing new.
  return (whole.length === 2 ? whole.filter((part) => !/^and \d{1,6} more\.$/.test(part)) : whole).join(' ');
}
