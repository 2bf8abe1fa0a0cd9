export { environmentFacts, type EnvironmentFacts } from './environment-facts';
export {
  companiesOf,
  processesWithEnvironments,
  findProcessStartFacts,
  type ProcessStartFacts,
} from './process-start-facts';
export { BatchTooLarge, MatrixCache } from './matrix-cache';
export { accessAnswers, type AccessAnswer, type AccessQuestion } from './access';
export { lockAccountOfCaller, lockPermission, lockProcessInShareMode } from './caller-rights';
export { lockCredential } from './lock-credential';
export { lockRequestSecrets } from './request-secrets';
export { toPermissions, type ShareColumns } from './access-row';
export { onlineEnvironments } from './online';
export { connectedAbilities, connectedAgents, countConnectedAgents, type ConnectedAgent } from './connected-agents';
export { agentEnvironments, environmentOfActivationKey, type AgentEnvironment } from './agent-environments';
export { hooksByToken } from './hooks';
export { idAfter } from './id-after';
export { lockCompany, lockCompanyInShareMode, requireRoom } from './quota';
export { OrphanSweep, removeOrphans } from './orphaned-rows';
export { lockMappings, type MappingToPublish } from './mappings';
