/** A test that does not end, with a server beside it: what `stopped.test.ts` stops. It says where whom it has started. */
import { test } from 'bun:test'
import { Site } from '../support/process.ts'

test('does not end', async () => {
  const site = await Site.create()
  const { pid } = await site.start()
  await Bun.write(process.env.TROUPE_TEST_STARTED ?? '', `${process.pid} ${pid}`)
  await new Promise(() => setInterval(() => {}, 1_000))
}, 600_000)
