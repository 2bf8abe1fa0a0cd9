// The parts that the flow editor loads after its canvas. One module exports them all, so that the browser loads one script.
export { ConflictDialog } from './conflict-dialog';
export { DebugDialog } from './debug/debug-dialog';
export { StepPanel } from './panel/step-panel';
export { CompareTab } from './views/compare-tab';
export { TextView } from './views/text-view';
