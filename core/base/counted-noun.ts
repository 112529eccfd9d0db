/** A number with its noun. @example counted(1, 'run'), counted(2, 'run') // 1 run, 2 runs */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
