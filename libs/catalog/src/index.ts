export {
  companiesOf,
  environmentFacts,
  launchFacts,
  launchesWithEnvironments,
  type EnvironmentFacts,
  type LaunchFacts,
} from './launch';
export { Matrices } from './matrices';
export { accessAnswers, type AccessAnswer, type AccessQuestion, type Reach } from './access';
export { toPermissions, type ShareColumns } from './access-row';
export { onlineEnvironments } from './online';
export { agentEnvironments, environmentOfActivationKey, type AgentEnvironment } from './agent-environments';
export { hooksByToken } from './hooks';
export { lockMappings, type OriginMapping } from './mappings';
