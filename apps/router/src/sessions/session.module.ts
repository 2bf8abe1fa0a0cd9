import { Module } from '@nestjs/common';
import { AgentSessions } from './agent-sessions';
import { SessionCloser } from './session-closer';
import { SessionRepository } from './session.repository';
import { SessionSweeps } from './session.sweeps';

@Module({
  providers: [AgentSessions, SessionCloser, SessionRepository, SessionSweeps],
  exports: [AgentSessions, SessionCloser, SessionRepository],
})
export class SessionModule {}
