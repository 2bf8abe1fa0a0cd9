export {
  companiesOf,
  environmentFacts,
  launchFacts,
  launchesWithEnvironments,
  type EnvironmentFacts,
  type LaunchFacts,
} from './launch';
export { callersByCredential, processAccesses, toPermissions, type AccessQuestion, type ShareColumns } from './access';
export { onlineEnvironments } from './online';
export { agentEnvironments, environmentOfActivationKey, type AgentEnvironment } from './agent-environments';
export { hooksByToken } from './hooks';
export { lockMappings, type OriginMapping } from './mappings';
