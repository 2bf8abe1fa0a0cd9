import { DEMO_ITEMS } from './demo-process.mjs';
import { QUOTE_EXAMPLE } from './demo-quote.mjs';

/** Commands to paste into a shell; the command that starts an instance stores its id in a variable for the later commands. */
export function demoCommands(demo, orderToken) {
  const { gateway, credential, processID, processKey } = demo;
  const account = `-H 'Authorization: Bearer ${credential}'`;
  const key = `-H 'X-Process-Key: ${processKey}'`;
  const matrix = { customer: 'Empório São João', items: DEMO_ITEMS, freight: 'R$ 22,50', token: orderToken };
  const body = `-H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify({ matrix }))}`;
  const event = `-H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(QUOTE_EXAMPLE))}`;
  return `
Batuta is up. Open ${demo.console}/ in a browser on this machine: one click logs you in as the demo owner.
Gateway ${gateway}, agents connect to ${demo.router}. Addresses and passwords are in .local/demo.json.

# Is it there? Who am I?
curl -sw '\\n' ${gateway}/v1/ping
curl -sw '\\n' ${gateway}/v1/me ${account}

# What runs here: environments, processes, the variables of the demo
curl -sw '\\n' ${gateway}/v1/environments ${account}
curl -sw '\\n' ${gateway}/v1/processes/${processID} ${account} ${key}

# Start it with an order, keeping its instanceID
ANSWER=$(curl -s -X POST ${gateway}/v1/processes/${processID}/start ${account} ${key} ${body})
printf '%s\\n' "$ANSWER"
ID=$(printf '%s' "$ANSWER" | sed 's/.*"instanceID":"\\([^"]*\\)".*/\\1/')

# How it went, and its log: the flow takes less than a second
sleep 1
curl -sw '\\n' ${gateway}/v1/instances/$ID ${account}
curl -sw '\\n' ${gateway}/v1/instances/$ID/logs ${account}

# Webhooks need no credential. A shop sends a cart to one that captures, to one that starts "Freight quote", and to one that
# waits for what the process itself answers
curl -sw '\\n' -X POST ${demo.devUrl} ${event}
curl -sw '\\n' -X POST ${demo.prodUrl} ${event}
curl -sw '\\n' -X POST '${demo.waitUrl}?store=Moema' ${event}

Ctrl-C stops everything; the data stay for the next \`npm start\`.`;
}

function quoteForShell(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
