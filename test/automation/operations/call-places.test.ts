/** Calls in progress by organization. Source: trust 2.2. */
import { expect, test } from 'bun:test'
import { CallPlaces } from '../../../src/automation/operations/call-places.ts'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'

const never = new AbortController().signal
const day = 86_400_000

/** Two places for each organization, and calls that end when told to. */
function world() {
  const places = new CallPlaces(2)
  const made: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const call = (organization: string, name: string, { waitMs = day, signal = never } = {}) =>
    places.make(organization, { waitMs, signal }, () => {
      made.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      ends.set(name, (error) => (error ? reject(error) : resolve(name)))
      return promise
    })
  return { made, call, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

test('a call without a place waits for one in its order, and other organizations have their own', async () => {
  const { made, call, end } = world()
  const [one, two, three, four] = ['1', '2', '3', '4'].map((name) => call('org_1', name))
  const other = call('org_2', 'other')
  await Bun.sleep(0)
  expect(made).toEqual(['1', '2', 'other'])
  end('2')
  expect(await two).toBe('2')
  await Bun.sleep(0)
  expect(made).toEqual(['1', '2', 'other', '3'])
  // a failed call frees its place too
  end('1', new Error('refused'))
  await expect(one).rejects.toThrow('refused')
  await Bun.sleep(0)
  for (const name of ['3', '4', 'other']) end(name)
  expect(await Promise.all([three, four, other])).toEqual(['3', '4', 'other'])
  // all places are free again
  const again = ['5', '6'].map((name) => call('org_1', name))
  await Bun.sleep(0)
  for (const name of ['5', '6']) end(name)
  expect(await Promise.all(again)).toEqual(['5', '6'])
})

test('a call that waits too long, or is canceled, is not made and takes no place', async () => {
  const { made, call, end } = world()
  const first = ['1', '2'].map((name) => call('org_1', name))
  const late = call('org_1', 'late', { waitMs: 1 })
  await expect(late).rejects.toBeInstanceOf(OperationFailure)
  await expect(late).rejects.toThrow('The call was not made: the organization has 2 calls in progress.')
  const control = new AbortController()
  const canceled = call('org_1', 'canceled', { signal: control.signal })
  control.abort(new Error('canceled'))
  await expect(canceled).rejects.toThrow('canceled')
  await expect(call('org_1', 'canceled before', { signal: control.signal })).rejects.toThrow('canceled')
  const next = call('org_1', '3')
  end('1')
  await Bun.sleep(0)
  for (const name of ['2', '3']) end(name)
  expect(await Promise.all([...first, next])).toEqual(['1', '2', '3'])
  expect(made).toEqual(['1', '2', '3'])
})
