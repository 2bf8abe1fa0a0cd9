import { ApiError } from '@batuta/errors';
import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';

/** Argon2id with OWASP's parameters: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const AT_ONCE = 4;
const MOST_WAITING = 200;
/** Of a random text that nobody kept. */
const DECOY = '$argon2id$v=19$m=19456,p=1,t=2$mtH6W+qNv3wo3lWJZlJ8yg$Aw+yz8Jxakh0jlWguugmkDvLW0RmzWDZOARkqFUbkg8';

/** Hashes and checks passwords, a few at a time: each one takes 19 MiB and a core for a while. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, PARAMETERS));
  }

  verify(passwordHash: string, password: string): Promise<boolean> {
    return this.inTurn(() => verify(passwordHash, password));
  }

  /** Takes as long as `verify`, so that time does not tell which accounts exist. */
  async refuse(password: string): Promise<false> {
    await this.verify(DECOY, password);
    return false;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting.length >= MOST_WAITING) throw new ApiError('UNAVAILABLE', 'Too many logins at once; try again.');
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to who waits longest.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
