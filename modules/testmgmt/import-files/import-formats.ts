import type { FileHead, ImportFormat } from './tables/import-format.ts';
import { ownCsv } from './formats/own-csv.ts';
import { ownJson } from './formats/own-json.ts';
import { qaseCsv } from './formats/qase-csv.ts';
import { qaseJson } from './formats/qase-json.ts';
import { mappedTable } from './formats/table.ts';
import { testlinkXml } from './formats/testlink-xml.ts';
import { testmoCsv } from './formats/testmo-csv.ts';
import { testrailCsv } from './formats/testrail-csv.ts';
import { testrailXml } from './formats/testrail-xml.ts';
import { xlsx } from './formats/xlsx.ts';
import { xrayCsv } from './formats/xray-csv.ts';
import { zephyrCsv } from './formats/zephyr-csv.ts';

/** Every format of a file of tests: a new one is a file in formats/ and a line here. */
export const importFormats = {
  csv: ownCsv,
  json: ownJson,
  'testrail-xml': testrailXml,
  'testrail-csv': testrailCsv,
  'qase-json': qaseJson,
  'qase-csv': qaseCsv,
  'xray-csv': xrayCsv,
  'zephyr-csv': zephyrCsv,
  'testmo-csv': testmoCsv,
  'testlink-xml': testlinkXml,
  xlsx,
  table: mappedTable,
} as const satisfies Readonly<Record<string, ImportFormat>>;

export type ImportFormatName = keyof typeof importFormats;
export const importFormatNames = Object.keys(importFormats) as ImportFormatName[];

/** The order in which formats are tried: those that recognize little come last. */
const tried: readonly ImportFormatName[] = [
  ...importFormatNames.filter((name) => name !== 'json' && name !== 'table'),
  'json',
  'table',
];

/** The format of a file that begins so; undefined for none. */
export const formatOfHead = (head: FileHead): ImportFormatName | undefined =>
  tried.find((name) => importFormats[name].recognizes(head));
