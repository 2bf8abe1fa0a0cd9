import { ExecutionResources } from './execution-resources';

class FakeResource {
  closed = 0;
  close(): Promise<void> {
    this.closed += 1;
    return Promise.reject(new Error('stuck'));
  }
}

test('a resource is found by its class, and closed once, even if it fails to close', async () => {
  const resources = new ExecutionResources();
  expect(resources.find(FakeResource)).toBeUndefined();
  const added = resources.add(new FakeResource());
  expect(resources.find(FakeResource)).toBe(added);
  await resources.close();
  await resources.close();
  expect(added.closed).toBe(1);
});
