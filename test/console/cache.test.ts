/** What was read is kept while it is read again, and whoever leaves gives the reading up. */
import { expect, test } from 'bun:test'
import { ApiFailure } from '../../src/console/api/failure.ts'
import { Cache } from '../../src/console/data/cache.ts'

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
const nobody = () => {}

test('a value is read once for all who look at it', async () => {
  const cache = new Cache()
  let reads = 0
  const read = async () => ++reads
  const leave = [cache.watch(['a'], read, nobody), cache.watch(['a'], read, nobody)]
  await settled()
  expect(cache.entry(['a'])).toMatchObject({ value: 1, reading: false })
  for (const each of leave) each()
})

test('the value stays while it is read again, and when that fails', async () => {
  const cache = new Cache()
  const answers = [
    async () => 1,
    async () => Promise.reject(new ApiFailure({ status: 503, code: 'x', message: 'Away.' })),
  ]
  cache.watch(['a'], () => answers.shift()!(), nobody)
  await settled()
  const refreshing = cache.refresh(['a'])
  expect(cache.entry(['a'])).toMatchObject({ value: 1, reading: true })
  await refreshing
  expect(cache.entry(['a'])).toMatchObject({ value: 1, reading: false, failure: { status: 503 } })
})

test('the beginning of a key stands for all that begin with it', async () => {
  const cache = new Cache()
  const reads: string[] = []
  for (const key of ['projects', 'projects-of-others']) {
    cache.watch([key, 1], async () => void reads.push(key), nobody)
  }
  await settled()
  await cache.refresh(['projects'])
  expect(reads).toEqual(['projects', 'projects-of-others', 'projects'])
})

test('a reading that nobody waits for is given up', async () => {
  const cache = new Cache()
  let given: AbortSignal | undefined
  const leave = cache.watch(
    ['a'],
    (signal) => {
      given = signal
      return new Promise(() => {})
    },
    nobody,
  )
  leave()
  expect(given?.aborted).toBe(true)
})

test('the answer to an older reading never replaces a newer one', async () => {
  const cache = new Cache()
  const first = Promise.withResolvers<string>()
  const answers = [() => first.promise, async () => 'new']
  cache.watch(['a'], () => answers.shift()!(), nobody)
  await cache.refresh(['a'])
  first.resolve('old')
  await settled()
  expect(cache.entry(['a']).value).toBe('new')
})

test('whoever comes back at once is told', async () => {
  const cache = new Cache()
  const read = (signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      setTimeout(resolve, 0, 'value')
    })
  cache.watch(['a'], read, nobody)()
  cache.watch(['a'], read, nobody)
  await settled()
  expect(cache.entry(['a'])).toMatchObject({ value: 'value', reading: false })
})
