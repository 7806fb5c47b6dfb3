/** Batches of commands for one actor. Source: design 3. */
import { expect, test } from 'bun:test'
import { Mailboxes } from '../../src/runtime/mailbox.ts'

test('many commands are taken in order, a hundred at a time', async () => {
  const commands = Array.from({ length: 250 }, (_, index) => index)
  const batches: number[][] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const mailboxes = new Mailboxes<number>(async (_, batch) => {
    batches.push(batch)
    if (batches.flat().length === commands.length) resolve()
  })
  for (const command of commands) mailboxes.put('a', command)
  await promise
  expect([batches.map(({ length }) => length), batches.flat()]).toEqual([[100, 100, 50], commands])
})
