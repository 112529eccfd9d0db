/** Whether the page holds what a person typed and nobody has stored: a form marks itself with `data-unsaved`. */
export const holdsUnsaved = (): boolean => document.querySelector('[data-unsaved], [role="dialog"]') !== null;
