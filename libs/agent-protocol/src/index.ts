export * from './agent-protocol';
export * from './agent-frames';
export { Abilities, lackingAgent } from './abilities';
export { agentFrames, routerFrames, type ReadFrame } from './frame-reader';
