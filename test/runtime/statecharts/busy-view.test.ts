/** The view of an actor that another server moves during each read. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { aloneBus } from '../../../src/platform/bus/bus.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { viewActor } from '../../../src/runtime/statecharts/live/view.ts'
import { Watch } from '../../../src/runtime/statecharts/live/watch.ts'
import { listTransitions } from '../../../storage/runtime/journal.ts'
import type { Query, Store } from '../../../storage/store.ts'
import { type TicketEvent, ticketKind } from './ticket.ts'
import { close, openWorld, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

/** A server that shares the store; before each read of an actor's last transition, the first one sends an event. */
function otherServer(id: string, events: TicketEvent[]): Watch {
  const { store, clock } = world
  const first = async <Row>(query: Query<Row>): Promise<Row | undefined> => {
    const event = query.sql.includes('from "transitions"') ? events.shift() : undefined
    if (event) await world.send(id, event)
    return store.first(query)
  }
  const shared = { db: store.db, first, all: store.all.bind(store), commit: store.commit.bind(store) }
  const parts = { store: shared as unknown as Store, clock }
  const actors = new Actors({ ...parts, bus: { ...aloneBus, isShared: true }, kinds: [ticketKind] })
  return new Watch(ticketKind, { ...parts, actors, onError: () => {} })
}

test.each([
  ['once', [close]],
  ['twice', [{ type: 'park' }, { type: 'resume' }]],
  ['at each read, to its end', [{ type: 'park' }, { type: 'resume' }, close]],
] as [string, TicketEvent[]][])('that moves %s has the state of its last transition', async (_, events) => {
  const id = await world.ticket(...toOpen)
  const { view, sequence, isEnded } = await viewActor(otherServer(id, [...events]), id)
  const journal = await listTransitions(world.store, { kind: 'ticket', actorId: id, after: 0, limit: 10 })
  expect([view.state, view.journal.at(-1)?.to]).toEqual(Array(2).fill(journal[sequence - 1]?.to_state))
  expect(isEnded).toBe(view.state === 'closed')
})
