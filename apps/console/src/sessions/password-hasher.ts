import { ApiError } from '@batuta/errors';
import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';

/** Argon2id: of the parameters that OWASP calls equally strong, those with the least memory: 7 MiB, five passes, one lane. */
const ARGON2_PARAMETERS = { memoryCost: 7_168, timeCost: 5, parallelism: 1 } as const;
const MAX_WAITING_HASHES = 200;
/** The hash of a random unknown text, against which a password is verified when the account does not exist. */
export const UNMATCHABLE_HASH =
  '$argon2id$v=19$m=7168,t=5,p=1$Mhv/PE73Hd2rEfLp1VrJFA$1LiMrxanv6zIv0gP5r33rwE1jHC+sEVzINp2uKUmt1U';

/** Hashes and verifies passwords one after the other, because each takes 7 MiB and a processor core. */
@Injectable()
export class PasswordHasher {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  hash(password: string): Promise<string> {
    return this.afterLast(() => hash(password, ARGON2_PARAMETERS));
  }

  verify(passwordHash: string, password: string): Promise<boolean> {
    return this.afterLast(() => verify(passwordHash, password));
  }

  /**
   * Whether the password has the hash. Without a hash it is false after the same time, so that the response time does not
   * reveal which accounts exist.
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    return this.verify(passwordHash ?? UNMATCHABLE_HASH, password.normalize('NFC'));
  }

  private async afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= MAX_WAITING_HASHES) throw new ApiError('UNAVAILABLE', 'Too many logins at once; try again.');
    this.waiting += 1;
    const result = this.last.then(() => {
      this.waiting -= 1;
      return work();
    });
    this.last = result.catch(() => undefined);
    return result;
  }
}
