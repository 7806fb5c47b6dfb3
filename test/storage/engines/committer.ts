/**
 * A process that commits until it is killed, and says what it was told is committed. Arguments: address, name,
 * and how many characters each unit is to hold besides.
 */

import { openStore } from '../../../storage/open.ts'
import { insertEffect, insertTimer } from '../../../storage/runtime/actors.ts'

const [address = '', name = '', characters = '0'] = process.argv.slice(2)
const params = JSON.stringify('x'.repeat(Number(characters)))
const store = await openStore(address)

async function commitForever(lane: number) {
  for (let number = 0; ; number += 1) {
    const id = `${name}-${lane}-${number}`
    // Two rows that belong together.
    await store.commit([
      insertTimer(store, { kind: 'note', actor_id: id, name, due_at: 1 }),
      insertEffect(store, { id, kind: 'note', actor_id: id, name, params, due_at: 1, attempts: 0 }),
    ])
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, (_, lane) => commitForever(lane)))
