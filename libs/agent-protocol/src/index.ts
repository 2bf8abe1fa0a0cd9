export * from './agent-protocol';
export * from './agent-frames';
export type { FrameOf } from './frame-parts';
export * from './router-frames';
export { Abilities, missingAbilitiesPhrase } from './abilities';
export { agentFrameReader, routerFrameReader } from './frame-reader';
