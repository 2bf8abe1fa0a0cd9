/** The value below which the given fraction (0 to 1) of the numbers lies. NaN without numbers. */
export function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).toSorted();
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** The middle number, or the mean of the two middle ones. NaN without numbers. */
export function median(numbers) {
  const sorted = Float64Array.from(numbers).toSorted();
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
