/** Programs that check the signature of a message, as Standard Webhooks describes it. They hold no secret: they read it from the environment. */
export const VERIFY_SNIPPETS = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto';

const key = Buffer.from(process.env.BATUTA_EVENTS_SECRET.replace('whsec_', ''), 'base64');

// \`body\` is the text of the request as it arrived, before JSON.parse.
export function isFromBatuta(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  const signatures = String(headers['webhook-signature']).split(' ');
  return isRecent && signatures.some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  python: `import base64, hashlib, hmac, os, time

key = base64.b64decode(os.environ["BATUTA_EVENTS_SECRET"].removeprefix("whsec_"))

# headers: names in lower case. body: the bytes of the request as they arrived, before json.loads.
def is_from_batuta(headers, body):
    msg_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    is_recent = abs(time.time() - int(timestamp)) < 300
    message = f"{msg_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    return is_recent and any(hmac.compare_digest(expected, one) for one in signatures)
`,
} as const;

export const VERIFY_SNIPPET_LANGUAGES = ['node', 'python'] as const satisfies (keyof typeof VERIFY_SNIPPETS)[];
