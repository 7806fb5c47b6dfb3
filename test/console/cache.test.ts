/** Read values are kept during a new read, and a page that leaves aborts its reads. */
import { afterEach, expect, test } from 'bun:test'
import { type QueryFunction, QueryObserver } from '@tanstack/react-query'
import { ApiFailure } from '../../src/console/api/failure.ts'
import { createQueryClient, type Key, once, refresh } from '../../src/console/data/queries.ts'

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

let queries = createQueryClient()
afterEach(() => {
  queries.clear()
  queries = createQueryClient()
})

const watch = (queryKey: Key, queryFn: QueryFunction<unknown>) =>
  new QueryObserver<unknown>(queries, { queryKey, queryFn }).subscribe(() => {})
const stateOf = (key: Key) => queries.getQueryState(key)

test('components share one read of a value', async () => {
  let reads = 0
  const read = async () => ++reads
  watch(['a'], read)
  watch(['a'], read)
  await settled()
  expect(stateOf(['a'])).toMatchObject({ data: 1, fetchStatus: 'idle' })
})

test('the value stays during a new read, and when that fails; a failure is not retried', async () => {
  const answers = [
    async () => 1,
    async () => Promise.reject(new ApiFailure({ status: 503, code: 'x', message: 'Away.' })),
  ]
  watch(['a'], () => answers.shift()!())
  await settled()
  const refreshing = refresh(queries, ['a'])
  await Promise.resolve()
  expect(stateOf(['a'])?.data).toBe(1)
  await refreshing
  expect(stateOf(['a'])).toMatchObject({ data: 1, fetchStatus: 'idle', error: { status: 503 } })
})

test('a key prefix refreshes all keys below it', async () => {
  const reads: string[] = []
  for (const key of ['projects', 'projects-of-others']) watch([key, 1], async () => reads.push(key))
  await settled()
  await refresh(queries, ['projects'])
  expect(reads).toEqual(['projects', 'projects-of-others', 'projects'])
})

test('a change removes unmounted values, so that they are never shown outdated', async () => {
  const leave = watch(['a'], async () => 1)
  await settled()
  leave()
  await refresh(queries, ['a'])
  expect(stateOf(['a'])).toBeUndefined()
})

test('a read that no page waits for is aborted', () => {
  let given: AbortSignal | undefined
  const leave = watch(['a'], ({ signal }) => {
    given = signal
    return new Promise(() => {})
  })
  leave()
  expect(given?.aborted).toBe(true)
})

test('the answer to an older read never replaces a newer one', async () => {
  const first = Promise.withResolvers<string>()
  const answers = [() => first.promise, async () => 'new']
  watch(['a'], () => answers.shift()!())
  await refresh(queries, ['a'])
  first.resolve('old')
  await settled()
  expect(stateOf(['a'])?.data).toBe('new')
})

test('a page that remounts at once gets its value', async () => {
  const read: QueryFunction<unknown> = ({ signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      setTimeout(resolve, 0, 'value')
    })
  watch(['a'], read)()
  watch(['a'], read)
  await settled()
  await settled()
  expect(stateOf(['a'])).toMatchObject({ data: 'value', fetchStatus: 'idle' })
})

test('immutable data is read once, and again after a failure', async () => {
  const answers = [async () => Promise.reject(new Error('away')), async () => 'first', async () => 'second']
  const read = () => once(queries, 'a', () => answers.shift()!())
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe('first')
  expect(await read()).toBe('first')
})
