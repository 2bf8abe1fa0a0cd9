export { MANAGEMENT_ACTIONS, type ManagementAction } from './actions';
export { FEED_LAG_SECONDS } from './feed';
export { recordAction, type RecordedAction } from './record-action';
