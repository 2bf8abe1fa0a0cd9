// The parts that the flow editor loads after its canvas, as one file.
export { ConflictDialog } from './conflict-dialog';
export { DebugDialog } from './debug/debug-dialog';
export { StepPanel } from './panel/step-panel';
export { CompareTab } from './views/compare-tab';
export { TextView } from './views/text-view';
