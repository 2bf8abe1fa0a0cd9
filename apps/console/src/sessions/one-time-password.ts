import { randomInt } from 'node:crypto';

/** Letters and digits without those that look alike, such as l and 1. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** A password of 100 random bits that a person can read aloud, such as `k7mq-2xvd-…`. */
export function mintOneTimePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
