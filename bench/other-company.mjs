import { Agent } from 'node:http';
import { post } from './starting.mjs';

const INTERVAL_MS = 500;

/**
 * Starts a process of another company twice a second until `stop`; `refusals` gets a text for each answer other than 202 and each failed call. An
 * installation serves many companies, and what a build does to one company for the sake of others shows only while others call.
 */
export function callAsOtherCompany({ url, start }) {
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  const refusals = [];
  const call = async () => {
    const { status, body } = await post(http, url, start);
    if (status !== 202) refusals.push(`a start of another company was answered ${status}: ${body}`);
  };
  const timer = setInterval(() => void call().catch((error) => refusals.push(String(error))), INTERVAL_MS);
  return {
    refusals,
    stop: () => {
      clearInterval(timer);
      http.destroy();
    },
  };
}
