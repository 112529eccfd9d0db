import { allure } from './formats/allure-reader.ts';
import { ctrf } from './formats/ctrf-reader.ts';
import { cucumber } from './formats/cucumber-reader.ts';
import { goTest } from './formats/go-test-reader.ts';
import { jest } from './formats/jest-reader.ts';
import { junit } from './formats/junit-reader.ts';
import { mocha } from './formats/mocha-reader.ts';
import { nunit } from './formats/nunit-reader.ts';
import { playwright } from './formats/playwright-reader.ts';
import type { ReportFormat } from './formats/report-format.ts';
import { tap } from './formats/tap-reader.ts';
import { trx } from './formats/trx-reader.ts';
import { xunit } from './formats/xunit-reader.ts';

/** Every supported format. Within XML, JSON and lines, the first one that matches is used. */
export const reportFormats: readonly ReportFormat[] = [
  junit,
  trx,
  nunit,
  xunit,
  ctrf,
  playwright,
  allure,
  cucumber,
  jest,
  mocha,
  goTest,
  tap,
];
