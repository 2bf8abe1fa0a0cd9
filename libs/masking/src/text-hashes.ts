/** A constant, because each look-up of `Math.imul` in the global object would cost more than the rest of a step. */
const { imul } = Math;
/** The bases of the two hashes; they are odd, so that no power of them is zero in 32 bits. */
const HASH_BASES = [0x01000193, 0x5bd1e995] as const;
const [FIRST_BASE, SECOND_BASE] = HASH_BASES;

/** A hash of 53 bits of a text. */
export function hashOf(text: string): number {
  let [first, second] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) + 1;
    first = (imul(first, FIRST_BASE) + code) | 0;
    second = (imul(second, SECOND_BASE) + code) | 0;
  }
  return combinedHash(first, second);
}

/** Hashes of any part of a text, each in constant time. */
export class TextHashes {
  private readonly first: Int32Array;
  private readonly second: Int32Array;

  constructor(text: string) {
    this.first = new Int32Array(text.length + 1);
    this.second = new Int32Array(text.length + 1);
    let [first, second] = [0, 0];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index) + 1;
      first = (imul(first, FIRST_BASE) + code) | 0;
      second = (imul(second, SECOND_BASE) + code) | 0;
      this.first[index + 1] = first;
      this.second[index + 1] = second;
    }
  }

  of(start: number, length: number): number {
    const [powerOfFirst, powerOfSecond] = powersOf(length);
    const end = start + length;
    return combinedHash(
      (this.first[end] ?? 0) - imul(this.first[start] ?? 0, powerOfFirst),
      (this.second[end] ?? 0) - imul(this.second[start] ?? 0, powerOfSecond),
    );
  }
}

/** Combines 32 bits of the first hash and 21 of the second: together 53 bits, as many as a number holds exactly. */
function combinedHash(first: number, second: number): number {
  return (first >>> 0) * 2_097_152 + (second >>> 11);
}

const MAX_CACHED_POWERS = 10_000;
const cachedPowers = new Map<number, readonly [number, number]>();

function powersOf(exponent: number): readonly [number, number] {
  const cached = cachedPowers.get(exponent);
  if (cached) return cached;
  const powers = [powerIn32Bits(FIRST_BASE, exponent), powerIn32Bits(SECOND_BASE, exponent)] as const;
  if (cachedPowers.size < MAX_CACHED_POWERS) cachedPowers.set(exponent, powers);
  return powers;
}

/** `base` to the power of `exponent` in 32 bits, computed by squaring. */
function powerIn32Bits(base: number, exponent: number): number {
  let result = 1;
  for (let [square, rest] = [base, exponent]; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = imul(result, square);
    square = imul(square, square);
  }
  return result;
}
