import { allure } from './formats/allure-reader.ts';
import { ctrf } from './formats/ctrf-reader.ts';
import { cucumber } from './formats/cucumber-reader.ts';
import { goTest } from './formats/go-test-reader.ts';
import { junit } from './formats/junit-reader.ts';
import { nunit } from './formats/nunit-reader.ts';
import { playwright } from './formats/playwright-reader.ts';
import type { ReportFormat } from './formats/report-format.ts';
import { tap } from './formats/tap-reader.ts';
import { trx } from './formats/trx-reader.ts';
import { xunit } from './formats/xunit-reader.ts';

/** Every format that is read. Of those of a kind, the first that fits is taken. */
export const reportFormats: readonly ReportFormat[] = [
  junit,
  trx,
  nunit,
  xunit,
  ctrf,
  playwright,
  allure,
  cucumber,
  goTest,
  tap,
];
