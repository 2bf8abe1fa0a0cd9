export { MANAGEMENT_ACTIONS, type ManagementAction } from './actions';
export { recordAction, type RecordedAction } from './record-action';
