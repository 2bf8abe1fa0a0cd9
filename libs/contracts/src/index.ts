export * from './subject';
export * from './instance';
export * from './execution';
export * from './schedule';
export * from './webhook';
export * from './agent-protocol';
export * from './agent-frames';
export { agentFrames, routerFrames, type ReadFrame } from './frame-reader';
