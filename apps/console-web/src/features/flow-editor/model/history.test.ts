import { addState, newHistory, redo, undo } from './history';

const commandOf = (text: string, at: number, group?: string) => ({
  text,
  at,
  group,
});

function historyAfter(...commands: ReturnType<typeof commandOf>[]) {
  return commands.reduce((history, { text, at, group }) => addState(history, text, { at, group }), newHistory(''));
}

test('undo and redo move through the states, and a new command discards the undone states', () => {
  const history = historyAfter(commandOf('a', 1), commandOf('b', 2));
  const back = undo(history);
  expect(back.present).toBe('a');
  expect(redo(back).present).toBe('b');
  const other = addState(back, 'c', { at: 3 });
  expect(redo(other).present).toBe('c');
  expect(undo(undo(undo(other))).present).toBe('');
});

test('letters typed into one field are undone together, until a pause or another field', () => {
  expect(undo(historyAfter(commandOf('h', 0, 'name'), commandOf('hi', 500, 'name'))).present).toBe('');
  expect(undo(historyAfter(commandOf('h', 0, 'name'), commandOf('hi', 2_000, 'name'))).present).toBe('h');
  expect(undo(historyAfter(commandOf('h', 0, 'name'), commandOf('hi', 500, 'url'))).present).toBe('h');
  expect(undo(historyAfter(commandOf('h', 0), commandOf('hi', 1))).present).toBe('h');
});

test('typing after an undo is a separate undo step', () => {
  const history = addState(undo(historyAfter(commandOf('a', 0, 'name'), commandOf('b', 5_000, 'name'))), 'c', {
    at: 5_001,
    group: 'name',
  });
  expect(undo(history).present).toBe('a');
});

test('a command that changes nothing is no undo step', () => {
  expect(addState(newHistory('a'), 'a', { at: 1 })).toEqual(newHistory('a'));
});

test('the history keeps at most 200 undo steps', () => {
  const commands = Array.from({ length: 300 }, (_, index) => commandOf(String(index), index));
  expect(historyAfter(...commands).past).toHaveLength(200);
});
