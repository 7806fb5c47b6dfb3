/** A test that never ends, with a server: `stopped.test.ts` stops it. It prints the processes that it started. */
import { test } from 'bun:test'
import { Site } from '../support/process.ts'

test('does not end', async () => {
  const site = await Site.create()
  const { pid } = await site.start()
  await Bun.write(process.env.TROUPE_TEST_STARTED ?? '', `${process.pid} ${pid}`)
  await new Promise(() => setInterval(() => {}, 1_000))
})
