import { Batuta, UnsendableCall } from '.';

const answer = async () => Response.json({ version: '1' });

test.each([NaN, 0, -1, -Infinity])('a time limit of %d is refused by its name', (timeout) => {
  expect(() => new Batuta({ url: 'http://api.test', timeout, fetch: answer })).toThrow(
    expect.objectContaining({ name: 'UnsendableCall', message: expect.stringMatching(/^timeout: /) }),
  );
});

test.each([Infinity, 2 ** 31, 2 ** 40, 1_500.5])('a time limit of %d does not end a call at once', async (timeout) => {
  const fetch = ({ signal }: Request) =>
    new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      // A timer that cannot hold its time fires after a millisecond.
      setTimeout(() => resolve(Response.json({ version: '1' })), 20);
    });
  const batuta = new Batuta({ url: 'http://api.test', timeout, fetch });
  expect(await batuta.ping()).toEqual({ version: '1' });
  const { response } = await batuta.http.GET('/v1/ping', { headers: { accept: 'text/event-stream' } });
  expect(response.status).toBe(200);
});

test('a time limit of a retry that is no number is refused before the first call', async () => {
  const fetch = jest.fn(answer);
  const batuta = new Batuta({ url: 'http://api.test', fetch });
  const instance = batuta.instance('i');
  await expect(instance.ended({ within: NaN })).rejects.toThrow(UnsendableCall);
  await expect(batuta.process('p', 'k').startAndWait({}, { within: NaN })).rejects.toThrow(/^within: /);
  await expect(batuta.process('p', 'k').startAndWait({}, JSON.parse('{}'))).rejects.toThrow(/^within: /);
  await expect(instance.events({ within: NaN }).next()).rejects.toThrow(/^within: /);
  expect(fetch).not.toHaveBeenCalled();
});
