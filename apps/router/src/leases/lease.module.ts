import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module';
import { LeaseKeeper } from './lease-keeper';
import { LeaseSweeps } from './lease.sweeps';

@Module({ imports: [SessionModule], providers: [LeaseKeeper, LeaseSweeps] })
export class LeaseModule {}
