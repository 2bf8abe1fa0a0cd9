const SECONDS_AN_HOUR = 3_600;

export interface Savings {
  fteHours: number;
  savingsValue: number;
}

/**
 * Interpretation 41: what a success saved. `avgHumanTime` is `HH:MM:SS` a person needs for one execution, `costPerHour` money;
 * the saving has two decimals, rounded half away from zero.
 */
export function savingsOf(avgHumanTime: string, costPerHour: number): Savings {
  const [hours = 0, minutes = 0, seconds = 0] = avgHumanTime.split(':').map(Number);
  const total = hours * SECONDS_AN_HOUR + minutes * 60 + seconds;
  // Whole cents times whole seconds: no binary fraction is rounded before the end.
  const cents = Math.round((Math.round(costPerHour * 100) * total) / SECONDS_AN_HOUR);
  return { fteHours: total / SECONDS_AN_HOUR, savingsValue: cents / 100 };
}

export const NO_SAVINGS = { fteHours: 0, savingsValue: 0 };
