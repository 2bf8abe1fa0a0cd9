export { EVENT_STREAM_EXAMPLE, LAST_EVENT_ID_HEADER } from './event-openapi';
export { EventStreams, type StreamOwner } from './event-streams';
export { InstanceFollower, type FollowRequest } from './instance-follower';
export { StreamAccess } from './stream-access';
