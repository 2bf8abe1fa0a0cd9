/** Example of the body of `GET …/events`: text in the form of server-sent events. */
export const EVENT_STREAM_EXAMPLE = `retry: 1000

event: log
id: 1
data: {"timestamp":"2026-11-20T14:03:05.310Z","severity":"INFO","message":"total = 516.42","stepID":"Sum up",…}

event: status
id: 1.end
data: {"instanceID":"01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15","status":"success",…}

`;

/** The request header of `GET …/events`, described for `@ApiHeader`. */
export const LAST_EVENT_ID_HEADER = {
  name: 'Last-Event-ID',
  required: false,
  description:
    'The id of the last event that was received: the stream continues after it, with the present status. EventSource sends it by itself.',
  schema: { type: 'string', examples: ['17'] },
};
