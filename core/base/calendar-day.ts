/** Whether a calendar has the day, written as 2026-11-30. Date.parse reads the 31st of a short month as the 1st of the next. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}
