export { AgentPrivateKey, AgentPublicKey } from './agent-key';
export { KeyRing } from './key-ring';
export { sealingContexts } from './sealing-contexts';
