export * from './agent-protocol';
export * from './agent-frames';
export { agentFrames, routerFrames, type ReadFrame } from './frame-reader';
