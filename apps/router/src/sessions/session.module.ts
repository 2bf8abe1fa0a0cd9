import { Module } from '@nestjs/common';
import { AgentMemory } from './agent-memory';
import { AgentSessions } from './agent-sessions';
import { SessionCloser } from './session-closer';
import { SessionRepository } from './session.repository';
import { SessionSweeps } from './session.sweeps';

@Module({
  providers: [AgentMemory, AgentSessions, SessionCloser, SessionRepository, SessionSweeps],
  exports: [AgentMemory, AgentSessions, SessionCloser, SessionRepository],
})
export class AgentSessionModule {}
