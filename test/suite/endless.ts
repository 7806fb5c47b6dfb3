/** A test that never ends, with a server and a database: `stopped.test.ts` stops it. It prints its processes. */
import { test } from 'bun:test'
import { Site } from '../support/process.ts'
import { newDatabase, postgresIsInstalled } from '../support/services/postgres.ts'

test('does not end', async () => {
  const site = await Site.create()
  const { pid } = await site.start()
  if (process.env.TROUPE_TEST_DATABASE && postgresIsInstalled()) await newDatabase()
  await Bun.write(process.env.TROUPE_TEST_STARTED ?? '', `${process.pid} ${pid}`)
  await new Promise(() => setInterval(() => {}, 1_000))
})
