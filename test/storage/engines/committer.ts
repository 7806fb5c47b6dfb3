/**
 * A process that commits until it is killed, and prints each id once its commit is acknowledged. Arguments: address,
 * name, and the number of characters that each unit also stores.
 */

import { openStore } from '../../../storage/open.ts'
import { insertEffect, insertTimer } from '../../../storage/runtime/actors.ts'

const [address = '', name = '', characters = '0'] = process.argv.slice(2)
const params = JSON.stringify('x'.repeat(Number(characters)))
const store = await openStore(address)

async function commitForever(lane: number) {
  for (let number = 0; ; number += 1) {
    const id = `${name}-${lane}-${number}`
    // Two rows that must be committed together.
    await store.commit([
      insertTimer(store, { kind: 'note', actor_id: id, name, due_at: 1 }),
      insertEffect(store, { id, kind: 'note', actor_id: id, name, params, due_at: 1, attempts: 0 }),
    ])
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, (_, lane) => commitForever(lane)))
