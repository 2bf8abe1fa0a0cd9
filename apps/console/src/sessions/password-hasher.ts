import { ApiError } from '@batuta/errors';
import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';

/** Argon2id with OWASP's parameters: 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_CONCURRENT_HASHES = 4;
const MAX_WAITING_HASHES = 200;
/** The hash of a random unknown text, against which a password is verified when the account does not exist. */
export const UNMATCHABLE_HASH =
  '$argon2id$v=19$m=19456,p=1,t=2$mtH6W+qNv3wo3lWJZlJ8yg$Aw+yz8Jxakh0jlWguugmkDvLW0RmzWDZOARkqFUbkg8';

/** Hashes and verifies passwords. Only a few at a time, because each takes 19 MiB and a processor core. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.withPermit(() => hash(password, ARGON2_PARAMETERS));
  }

  verify(passwordHash: string, password: string): Promise<boolean> {
    return this.withPermit(() => verify(passwordHash, password));
  }

  /**
   * Whether the password has the hash. Without a hash it is false after the same time, so that the response time does not
   * reveal which accounts exist.
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    return this.verify(passwordHash ?? UNMATCHABLE_HASH, password.normalize('NFC'));
  }

  private async withPermit<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting.length >= MAX_WAITING_HASHES)
      throw new ApiError('UNAVAILABLE', 'Too many logins at once; try again.');
    if (this.running >= MAX_CONCURRENT_HASHES) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // A finished call passes its turn directly to the call that has waited longest.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
