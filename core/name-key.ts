/**
 * What makes two names the same: case and the way accents are encoded do not count, nor does the space around a name.
 * Computed here and not in SQL, because SQLite lowers ASCII alone. Pure.
 */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
