import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, ID, TIME } from './columns';

@Entity('company')
export class Company {
  @PrimaryColumn({ ...ID, name: 'company_id' })
  id!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ ...ID, name: 'plan_id' })
  planId!: string;

  @Column(FLAG)
  suspended!: boolean;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}
