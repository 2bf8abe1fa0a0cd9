/** Number of significant digits to which samples that are no integers are rounded; no threshold of an alert needs more. */
const SIGNIFICANT_DIGITS = 4;

/**
 * The samples of a series in the notation of promtool, in which `3+2x4` is 3 and four samples more, each larger by 2. Where a series ends
 * Prometheus marks it as stale, so that no expression sees its last sample any longer.
 */
export function encodeValues(samples) {
  const rounded = samples.map((value) =>
    value === undefined || Number.isNaN(value)
      ? undefined
      : Number.isInteger(value)
        ? value
        : Number(value.toPrecision(SIGNIFICANT_DIGITS)),
  );
  const parts = [];
  for (let at = 0; at < rounded.length;) {
    const [text, length] = rounded[at] === undefined ? encodeGap(rounded, at) : encodeSlope(rounded, at);
    parts.push(text);
    at += length;
  }
  return parts.join(' ');
}

/** The run of missing samples from `from` on: its text and its length. */
function encodeGap(samples, from) {
  let to = from;
  while (to < samples.length && samples[to] === undefined) to += 1;
  const length = to - from;
  if (from === 0) return [`_x${length}`, length];
  return [length === 1 ? 'stale' : `stale _x${length - 1}`, length];
}

/** The longest run of samples from `from` on with the same difference: its text and its length, which is 1 for a sample that stands alone. */
function encodeSlope(samples, from) {
  const [first, second] = [samples[from], samples[from + 1]];
  const step = second - first;
  let to = from + 1;
  while (to < samples.length && samples[to] !== undefined && samples[to] - samples[to - 1] === step) to += 1;
  const length = to - from;
  if (length < 3 || !Number.isInteger(step) || !Number.isInteger(first)) {
    return step === 0 && length > 1 ? [`${first}x${length - 1}`, length] : [String(first), 1];
  }
  if (step === 0) return [`${first}x${length - 1}`, length];
  return [`${first}${step > 0 ? '+' : ''}${step}x${length - 1}`, length];
}
