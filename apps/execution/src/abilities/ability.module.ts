import { Module } from '@nestjs/common';
import { FlowModule } from '../flows/flow.module';
import { ConnectedAgents } from './connected-agents';
import { MixedQueues } from './mixed-queues';
import { VersionNeeds } from './version-needs';

@Module({
  imports: [FlowModule],
  providers: [ConnectedAgents, MixedQueues, VersionNeeds],
  exports: [ConnectedAgents, MixedQueues, VersionNeeds],
})
export class AbilityModule {}
