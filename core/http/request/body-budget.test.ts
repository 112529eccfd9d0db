import { describe, expect, test } from 'bun:test';
import { bodyBudget } from './body-budget.ts';
import { rejectionOf } from '../../../test/rejection.ts';

describe('what bodies under way keep in memory is bounded', () => {
  test('a place takes room and gives it back', () => {
    const budget = bodyBudget(100, () => 0);
    const place = budget.place();
    place.grow(60);
    place.grow(40);
    expect(budget.used).toBe(100);
    place.release();
    place.release();
    expect(budget.used).toBe(0);
  });

  test('a newcomer is refused while those before it are quick', () => {
    const budget = bodyBudget(100, () => 0);
    budget.place().grow(90);
    const late = budget.place();
    expect(() => late.grow(20)).toThrow('Too many request bodies');
    expect(() => late.grow(1)).toThrow('Too many request bodies');
    expect(budget.used).toBe(90);
  });

  test('those that have taken long make room, the oldest first, and no more than is needed', async () => {
    let now = 0;
    const budget = bodyBudget(100, () => now);
    const [first, second] = [budget.place(), budget.place()];
    first.grow(50);
    second.grow(50);
    now = 3_000;
    const third = budget.place();
    third.grow(30);
    expect(budget.used).toBe(80);
    expect(await rejectionOf(first.lost)).toMatchObject({ code: 'SERVER_BUSY', status: 503, retryAfter: 1 });
    expect(() => first.grow(1)).toThrow('Too many request bodies');
    second.grow(10);
    first.release();
    second.release();
    third.release();
    expect(budget.used).toBe(0);
  });

  test('a body larger than everything is refused and gives back what it had', () => {
    const budget = bodyBudget(100, () => 0);
    const place = budget.place();
    place.grow(50);
    expect(() => place.grow(51)).toThrow('Too many request bodies');
    expect(budget.used).toBe(0);
  });
});
