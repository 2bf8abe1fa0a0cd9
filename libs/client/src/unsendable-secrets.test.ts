import { Batuta, UnsendableCall } from '.';

let sent: Request[];
beforeEach(() => {
  sent = [];
});

/** A client that keeps what it sends. */
function clientOf(credential?: string): Batuta {
  const fetch = async (request: Request) => {
    sent.push(request);
    return Response.json({ matrix: [] });
  };
  return new Batuta({ url: 'http://api.test', credential, fetch });
}

test.each(['bat_live_a.b\u200b', 'bat_live_\na.b', '–'])(
  'a secret such as %j, which no header carries, is not sent',
  async (secret) => {
    expect(() => clientOf(secret)).toThrow(UnsendableCall);
    const batuta = clientOf();
    expect(() => batuta.process('p', secret)).toThrow(/^processKey: has a character that a header cannot carry/);
    const schedule = { processID: 'p', name: 'n', cronExpression: '0 8 * * *' };
    await expect(batuta.schedules.create(secret, schedule)).rejects.toThrow(UnsendableCall);
    expect(sent).toEqual([]);
  },
);

test('a line feed before a credential is refused, because the header has the credential behind another word', () => {
  expect(() => clientOf('\nbat_live_a.b')).toThrow(/^credential: has a character that a header cannot carry/);
});

test('a line feed after a secret is not sent', async () => {
  await clientOf('bat_live_a.b\n').process('p', 'bpk_1\n').matrix();
  const headers = ['authorization', 'x-process-key'].map((name) => sent[0]?.headers.get(name));
  expect(headers).toEqual(['Bearer bat_live_a.b', 'bpk_1']);
});
