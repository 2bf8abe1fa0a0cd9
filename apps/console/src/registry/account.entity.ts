import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, ID, TIME, TIME_OR_NULL } from './columns';

export const ROLES = ['operator', 'administrator', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** A person who logs in. Operators run the service and belong to no company. */
@Entity('account')
export class Account {
  @PrimaryColumn({ ...ID, name: 'account_id' })
  id!: string;

  @Column({ ...ID, name: 'company_id', nullable: true })
  companyID!: string | null;

  @Column({ type: 'varchar', length: 254 })
  email!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ type: 'varchar', length: 16 })
  role!: Role;

  /** argon2id */
  @Column({ type: 'varchar', length: 255, name: 'password_hash' })
  passwordHash!: string;

  @Column(FLAG)
  blocked!: boolean;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}

/** An account credential of the API (contract 2.1). */
@Entity('credential')
export class Credential {
  @PrimaryColumn({ ...ID, name: 'credential_id' })
  id!: string;

  @Column({ ...ID, name: 'account_id' })
  accountID!: string;

  @Column({ type: 'varchar', length: 120 })
  label!: string;

  @Column({ type: 'binary', length: 32, name: 'secret_hash' })
  secretHash!: Buffer;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;

  @Column({ ...TIME_OR_NULL, name: 'expires_at' })
  expiresAt!: Date | null;

  @Column({ ...TIME_OR_NULL, name: 'revoked_at' })
  revokedAt!: Date | null;
}

/** A secret of an account's vault, sealed for the context `vault:<account>:<key>`. */
@Entity('vault_secret')
export class VaultSecret {
  @PrimaryColumn({ ...ID, name: 'account_id' })
  accountID!: string;

  @PrimaryColumn({ type: 'varchar', length: 80, name: 'vault_key' })
  key!: string;

  @Column({ type: 'longblob' })
  sealed!: Buffer;

  @Column({ ...TIME, name: 'updated_at' })
  updatedAt!: Date;
}
