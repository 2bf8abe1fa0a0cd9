import type { MatrixType } from '@batuta/matrix';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DECIMAL, FLAG, HASH, ID, TIME, TIME_OR_NULL } from './columns';

@Entity('process')
export class Process {
  @PrimaryColumn({ ...ID, name: 'process_id' })
  id!: string;

  /** The account of the owner. */
  @Column({ ...ID, name: 'account_id' })
  accountID!: string;

  @Column({ ...ID, name: 'company_id' })
  companyID!: string;

  @Column({ ...ID, name: 'environment_id', nullable: true })
  environmentID!: string | null;

  @Column({ type: 'varchar', length: 120, name: 'process_name' })
  processName!: string;

  @Column({ type: 'varchar', length: 2000 })
  description!: string;

  @Column(FLAG)
  active!: boolean;

  @Column(FLAG)
  paused!: boolean;

  /** True = LIBERADO (contract 2.1). */
  @Column({ ...FLAG, name: 'api_enabled' })
  apiEnabled!: boolean;

  /** `HH:MM:SS` (interpretation 41) */
  @Column({ type: 'varchar', length: 9, name: 'avg_human_time' })
  avgHumanTime!: string;

  @Column({ ...DECIMAL, name: 'avg_operator_cost' })
  avgOperatorCost!: number;

  /** The development version as JSON text; only queries that name the column read it. */
  @Column({ type: 'longtext', name: 'draft_flow', nullable: true, select: false })
  draftFlow!: string | null;

  /** 0 while nothing is published. */
  @Column({ type: 'int', name: 'current_version' })
  currentVersion!: number;

  @Column({ ...ID, name: 'published_version_id', nullable: true })
  publishedVersionID!: string | null;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}

/** A published version: its flow, Matrix and webhook mappings. Rows never change. */
@Entity('process_version')
export class ProcessVersion {
  @PrimaryColumn({ ...ID, name: 'version_id' })
  id!: string;

  @Column({ ...ID, name: 'process_id' })
  processID!: string;

  @Column({ type: 'int' })
  version!: number;

  /** The definition as compact JSON. */
  @Column({ type: 'longtext', select: false })
  flow!: string;

  /** The saved webhook mappings as JSON. */
  @Column({ type: 'longtext', select: false })
  mappings!: string;

  /** The abilities that its instances need of an agent, as `needsOf` writes them (interpretation 56). */
  @Column({ type: 'varchar', length: 255, nullable: true })
  needs!: string | null;

  @Column({ ...ID, name: 'published_by' })
  publishedBy!: string;

  @Column({ ...TIME, name: 'published_at' })
  publishedAt!: Date;
}

/** A registered Matrix variable (contract 2.5). Its id stays when it is renamed. */
@Entity('matrix_variable')
export class RegisteredVariable {
  @PrimaryColumn({ ...ID, name: 'variable_id' })
  id!: string;

  @Column({ ...ID, name: 'process_id' })
  processID!: string;

  @Column({ type: 'int' })
  position!: number;

  @Column({ type: 'varchar', length: 80 })
  name!: string;

  @Column({ type: 'varchar', length: 20 })
  type!: MatrixType;

  /** The converted default as JSON. */
  @Column({ type: 'longtext', name: 'default_value' })
  defaultValue!: string;
}

/** A process key, which callers of the API send to use the process (contract 2.1). */
@Entity('process_key')
export class ProcessKey {
  @PrimaryColumn({ ...ID, name: 'key_id' })
  id!: string;

  @Column({ ...ID, name: 'process_id' })
  processID!: string;

  @Column({ type: 'varchar', length: 120 })
  identifier!: string;

  @Column({ ...HASH, name: 'secret_hash' })
  secretHash!: Buffer;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;

  @Column({ ...TIME_OR_NULL, name: 'expires_at' })
  expiresAt!: Date | null;

  @Column({ ...TIME_OR_NULL, name: 'revoked_at' })
  revokedAt!: Date | null;
}

/** What an account that is not the owner may do with a process (contract 2.3, interpretation 12). */
@Entity('process_share')
export class ProcessShare {
  @PrimaryColumn({ ...ID, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ ...ID, name: 'account_id' })
  accountID!: string;

  @Column({ ...FLAG, name: 'may_execute' })
  execute!: boolean;

  @Column({ ...FLAG, name: 'may_edit' })
  edit!: boolean;

  @Column({ ...FLAG, name: 'may_api' })
  api!: boolean;

  @Column({ ...FLAG, name: 'may_schedule' })
  schedule!: boolean;

  @Column({ ...FLAG, name: 'may_delete' })
  delete!: boolean;

  @Column({ ...FLAG, name: 'may_share' })
  share!: boolean;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}

/** A share for an e-mail address that no account has yet; the account gets it at its first login. */
@Entity('share_invitation')
export class ShareInvitation {
  @PrimaryColumn({ ...ID, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ type: 'varchar', length: 254 })
  email!: string;

  @Column({ ...FLAG, name: 'may_execute' })
  execute!: boolean;

  @Column({ ...FLAG, name: 'may_edit' })
  edit!: boolean;

  @Column({ ...FLAG, name: 'may_api' })
  api!: boolean;

  @Column({ ...FLAG, name: 'may_schedule' })
  schedule!: boolean;

  @Column({ ...FLAG, name: 'may_delete' })
  delete!: boolean;

  @Column({ ...FLAG, name: 'may_share' })
  share!: boolean;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}

/** A key of the owner's vault that a process may use (interpretation 49). */
@Entity('process_vault_key')
export class AllowedVaultKey {
  @PrimaryColumn({ ...ID, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ type: 'varchar', length: 80, name: 'vault_key' })
  key!: string;
}
