import { Module } from '@nestjs/common';
import { ConnectedAgents } from './connected-agents';
import { MixedQueues } from './mixed-queues';
import { VersionNeeds } from './version-needs';

@Module({
  providers: [ConnectedAgents, MixedQueues, VersionNeeds],
  exports: [ConnectedAgents, MixedQueues, VersionNeeds],
})
export class AbilityModule {}
