const SECONDS_PER_HOUR = 3_600;
/** The largest value that the database stores. */
const MAX_SAVINGS_VALUE = 999_999_999_999.99;

/** The working hours of a person that a success saved, and their money. */
export interface Savings {
  fteHours: number;
  savingsValue: number;
}

/**
 * What a successful execution saved (interpretation 41). `avgHumanTime` = `HH:MM:SS` that a person needs for the work,
 * `costPerHour` = money per hour of that person. The value has two decimals, rounded half away from zero, and is at most MAX_SAVINGS_VALUE.
 */
export function savingsOf(avgHumanTime: string, costPerHour: number): Savings {
  const [hours = 0, minutes = 0, seconds = 0] = avgHumanTime.split(':').map(Number);
  const totalSeconds = hours * SECONDS_PER_HOUR + minutes * 60 + seconds;
  // Whole cents times whole seconds are exact, so that only the final division rounds.
  const cents = Math.round((Math.round(costPerHour * 100) * totalSeconds) / SECONDS_PER_HOUR);
  return { fteHours: totalSeconds / SECONDS_PER_HOUR, savingsValue: Math.min(cents / 100, MAX_SAVINGS_VALUE) };
}

export const NO_SAVINGS = { fteHours: 0, savingsValue: 0 };
