import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG_COLUMN, HASH_COLUMN, ID_COLUMN, TIME_COLUMN, TIME_OR_NULL_COLUMN } from './columns';

/** An `operator` runs the installation, without a company; an `administrator` manages the accounts of its company, which a `member` does not. */
export const ROLES = ['operator', 'administrator', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** A person who logs in. Operators run the installation and belong to no company. */
@Entity('account')
export class Account {
  @PrimaryColumn({ ...ID_COLUMN, name: 'account_id' })
  id!: string;

  /** null for an operator. */
  @Column({ ...ID_COLUMN, name: 'company_id', nullable: true })
  companyID!: string | null;

  /** Normalized, and unique among all accounts; migration 0009 left some as they were (`email_problem`). */
  @Column({ type: 'varchar', length: 254 })
  email!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ type: 'varchar', length: 16 })
  role!: Role;

  /** The password's hash in the encoding of argon2id; after a reset, until the account changes its password, a hash that no password matches. */
  @Column({ type: 'varchar', length: 255, name: 'password_hash' })
  passwordHash!: string;

  /** True: calls of the account and starts of its processes are refused with OWNER_INACTIVE. */
  @Column(FLAG_COLUMN)
  blocked!: boolean;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}

/** An account credential of the API (contract 2.1). */
@Entity('credential')
export class Credential {
  @PrimaryColumn({ ...ID_COLUMN, name: 'credential_id' })
  id!: string;

  @Column({ ...ID_COLUMN, name: 'account_id' })
  accountID!: string;

  /** The `userName` of what a call with the credential starts. */
  @Column({ type: 'varchar', length: 120 })
  label!: string;

  /** SHA-256 of the secret part, which follows the dot of the value. */
  @Column({ ...HASH_COLUMN, name: 'secret_hash' })
  secretHash!: Buffer;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;

  /** null = never. */
  @Column({ ...TIME_OR_NULL_COLUMN, name: 'expires_at' })
  expiresAt!: Date | null;

  /** null = not revoked. */
  @Column({ ...TIME_OR_NULL_COLUMN, name: 'revoked_at' })
  revokedAt!: Date | null;
}

/** A secret of an account's vault, sealed for the context `vault:<account>:<key>`. */
@Entity('vault_secret')
export class VaultSecret {
  @PrimaryColumn({ ...ID_COLUMN, name: 'account_id' })
  accountID!: string;

  @PrimaryColumn({ type: 'varchar', length: 80, name: 'vault_key' })
  key!: string;

  @Column({ type: 'longblob' })
  sealed!: Buffer;

  @Column({ ...TIME_COLUMN, name: 'updated_at' })
  updatedAt!: Date;
}
