export { reportAsApp } from './events/app-report.ts';
export { armOf } from './experiments/assignment.ts';
