export { EVENT_STREAM_EXAMPLE, LAST_EVENT_ID_HEADER } from './event-openapi';
export { EventStreams } from './event-streams';
export { InstanceFollower } from './instance-follower';
export { StreamAccess } from './stream-access';
