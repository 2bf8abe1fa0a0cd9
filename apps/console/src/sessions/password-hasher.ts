import { addressKey } from '@batuta/auth';
import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { HashQueue } from './hash-queue';

/**
 * Argon2id with 7 MiB, five passes and one lane: of the parameters that OWASP calls equally strong, those with the
 * least memory.
 */
const ARGON2_PARAMETERS = { memoryCost: 7_168, timeCost: 5, parallelism: 1 } as const;
/** How each hash with these parameters begins. */
const HASH_PREFIX = '$argon2id$v=19$m=7168,t=5,p=1$';
/** The hash of a random unknown text, against which a password is verified when the account does not exist. */
export const UNMATCHABLE_HASH =
  '$argon2id$v=19$m=7168,t=5,p=1$Mhv/PE73Hd2rEfLp1VrJFA$1LiMrxanv6zIv0gP5r33rwE1jHC+sEVzINp2uKUmt1U';

/**
 * Hashes and verifies passwords one after the other, because each takes 7 MiB and a processor core. Tenants take turns:
 * `tenant` is a result of `hashTenantOf` or `tenantOfAddress`.
 */
@Injectable()
export class PasswordHasher {
  private readonly queue = new HashQueue();

  hash(password: string, tenant: string): Promise<string> {
    return this.queue.run(tenant, () => hash(password, ARGON2_PARAMETERS));
  }

  /** Whether another release made the hash, with other parameters. */
  isOutdated(passwordHash: string): boolean {
    return !passwordHash.startsWith(HASH_PREFIX);
  }

  verify(passwordHash: string, password: string, tenant: string): Promise<boolean> {
    return this.queue.run(tenant, () => verify(passwordHash, password));
  }

  /**
   * Whether the password matches the hash. Without a hash the result is false and takes the same time, so that the
   * response time does not reveal which accounts exist.
   */
  matches(passwordHash: string | undefined, password: string, tenant: string): Promise<boolean> {
    return this.verify(passwordHash ?? UNMATCHABLE_HASH, password.normalize('NFC'), tenant);
  }
}

/** The tenant of a known caller: its company, or the account itself for an operator. */
export function hashTenantOf({ accountID, companyID }: { accountID: string; companyID: string | null }): string {
  return companyID === null ? `account ${accountID}` : `company ${companyID}`;
}

/**
 * The tenant of a login: the network address that it comes from. The account is not the tenant, because the length of
 * the wait would then reveal which accounts exist.
 */
export function tenantOfAddress(address: string | undefined): string {
  return `address ${addressKey(address)}`;
}
