import { answerOf, requirePeer } from './http.mjs';

const restate = requirePeer('@restatedev/restate-sdk');

const orders = restate.service({ name: 'orders', handlers: { start: async (_context, body) => answerOf(body) } });
await restate.serve({ services: [orders], port: Number(process.env.PORT) });
