import { hash } from '@node-rs/argon2';
import { PasswordHasher } from '../src/sessions/password-hasher';

/**
 * Makes all consoles in this process hash passwords with cheap parameters: with those of production, each hash and each
 * login takes tens of milliseconds of a processor core.
 */
export function useCheapHashes(): void {
  jest.spyOn(PasswordHasher.prototype, 'hash').mockImplementation(hashCheaply);
  jest.spyOn(PasswordHasher.prototype, 'isOutdated').mockReturnValue(false);
}

export const hashCheaply = (password: string) => hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
