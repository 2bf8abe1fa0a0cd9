import { Module } from '@nestjs/common';
import { AgentSessionModule } from '../sessions/session.module';
import { LeaseHealth } from './lease-health';
import { LeaseHealthRepository } from './lease-health.repository';
import { LeaseKeeper } from './lease-keeper';
import { LeaseSweeps } from './lease.sweeps';

@Module({ imports: [AgentSessionModule], providers: [LeaseHealth, LeaseHealthRepository, LeaseKeeper, LeaseSweeps] })
export class LeaseModule {}
