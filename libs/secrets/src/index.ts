export { AgentPrivateKey, AgentPublicKey, type OfferSealer } from './agent-key';
export { KeyRing } from './key-ring';
export { sealingContexts } from './sealing-contexts';
